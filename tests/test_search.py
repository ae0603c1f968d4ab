"""One search, which everybody calls who looks for rules, and no view."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Explanation, OutlierExplainer, Tag, explain
from pyod_explain.datasets import make_planted
from pyod_explain.export import to_dbt, to_findings
from pyod_explain.groups import split_outliers
from pyod_explain.input import as_table, read_labels
from pyod_explain.search import search
from pyod_explain.settings import Settings

search_module = import_module("pyod_explain.search")
PLANTED = make_planted(600, 2, 40, random_state=0)
TABLE = as_table(PLANTED.X).by_name()
OUTLIERS = read_labels((PLANTED.y > 0).astype(int), len(PLANTED.y))


@pytest.fixture
def searches(monkeypatch):
    """The number of rows of every search that is run from here on."""
    select, seen = search_module._select_and_grow, []

    def counted(table, *args):
        seen.append(table.n_rows)
        return select(table, *args)

    monkeypatch.setattr(search_module, "_select_and_grow", counted)
    return seen


def test_it_finds_what_explain_says():
    found = search(TABLE, OUTLIERS, Settings(groups=2, relations=True))
    e = explain((PLANTED.y > 0).astype(int), PLANTED.X, groups=2)
    assert found.rules == [[rule.tag for rule in group.rules] for group in e.groups]
    assert found.selection == e.selection
    assert list(found.timings) == list(e.summary.timings)
    assert found.notes == e.notes


def test_groups_are_taken_as_they_are():
    settings = Settings(groups=3, relations=False)
    groups = split_outliers(2, OUTLIERS, TABLE)
    assert search(TABLE, groups, settings).groups is groups
    assert search(TABLE, OUTLIERS, settings).groups.n_groups == 3


def test_the_column_of_the_groups_describes_none():
    X = PLANTED.X.assign(which=np.where(PLANTED.y > 0, PLANTED.y, 1))
    found = search(as_table(X), OUTLIERS, Settings(groups="which", relations=False))
    assert "which" not in found.table.columns
    assert found.groups.n_groups == 2


def test_progress_names_the_stages_in_order():
    said = []
    search(TABLE, OUTLIERS, Settings(groups=1, relations=False), step=lambda *one: said.append(one))
    assert said == [("groups", 0.0), ("tags", 0.25), ("coverage", 0.5), ("selection", 0.75)]


# --- who searches -----------------------------------------------------------------------------------------------------


def test_explain_searches_once_and_each_check_as_often_as_it_must(searches):
    e = explain(PLANTED.y, PLANTED.X)
    n = len(PLANTED.y)
    assert searches == [n]
    e.validate(3)
    assert searches[1:] == [n - n // 3] * 3
    del searches[:]
    e.placebo_test(2)
    assert searches == [int((PLANTED.y == 0).sum())] * 2


def test_the_users_own_tags_are_joined_once(searches):
    own = pd.DataFrame({"own": PLANTED.y > 0}, index=PLANTED.X.index)
    OutlierExplainer(tags=own).fit(PLANTED.X, PLANTED.y)
    assert searches == [len(PLANTED.y)]


VIEWS = {
    "repr": repr,
    "str": str,
    "_repr_html_": lambda e: e._repr_html_(),
    "to_html": lambda e: e.to_html(pictures=0),
    "to_html with pictures": lambda e: e.to_html(),
    "to_dbt": lambda e: to_dbt(e, "t"),
    "to_rows": lambda e: e.to_rows(),
    "to_markdown": lambda e: e.to_markdown(rows=True),
    "to_json": lambda e: e.to_json(),
    "to_dict": lambda e: e.to_dict(),
    "to_frame": lambda e: e.to_frame(),
    "to_sql": lambda e: e.to_sql("t"),
    "metrics": lambda e: e.metrics,
    "unexplained": lambda e: e.unexplained,
    "findings": to_findings,
    "for_row": lambda e: e.for_row(e.groups[0].rows[0]),
    "counterfactual": lambda e: e.counterfactual(e.groups[0].rows[0]),
    "compare": lambda e: e.compare(e),
    "plot('coverage')": lambda e: e.plot(),
    "plot('groups')": lambda e: e.plot("groups"),
}


# What shows cells of the table, as well as what was counted.
CELLS = ("findings", "for_row", "counterfactual", "plot('coverage')", "to_html with pictures", "to_rows")


def test_no_view_searches_and_those_of_counts_need_no_cell_of_the_table(searches, monkeypatch):
    """They show what was counted: the same without the table, and without evaluating any rule again."""
    e = explain(PLANTED.y, PLANTED.X)
    read = Explanation.from_json(e.to_json())
    del searches[:]
    for view in CELLS:
        VIEWS[view](e)
    monkeypatch.setattr(Tag, "covers", lambda *_: pytest.fail("a view evaluates a rule"))
    for view in set(VIEWS) - set(CELLS):
        shown, again = VIEWS[view](e), VIEWS[view](read)
        assert not isinstance(shown, str) or shown == again, view
    assert not searches


def test_all_views_are_here():
    public = {name for name in dir(Explanation) if name.startswith("to_")}
    assert public <= set(VIEWS)
