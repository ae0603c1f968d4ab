"""The contract for tag makers and explainers, ours and other people's, as checks that can be run on any of them.

`check_tag_maker(maker)` and `check_explainer(explainer)` return nothing or raise a `CheckError` that says what was
checked, what was got, and what to do. `tag_maker_checks` and `explainer_checks` give the same checks one by one:

    @pytest.mark.parametrize(("name", "check"), tag_maker_checks(MyMaker()))
    def test_contract(name, check):
        check()

>>> from pyod_explain import MDL, Itemsets
>>> from pyod_explain.checks import check_explainer, check_tag_maker
>>> check_tag_maker(Itemsets())
>>> check_explainer(MDL())
"""

from pyod_explain.checks.common import CheckError
from pyod_explain.checks.explainers import check_explainer, explainer_checks
from pyod_explain.checks.tag_makers import check_tag_maker, tag_maker_checks

__all__ = ["CheckError", "check_explainer", "check_tag_maker", "explainer_checks", "tag_maker_checks"]
