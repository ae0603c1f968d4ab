"""`explain()` as a whole: arguments, the life of an attached explanation, threads, and nothing left behind."""

import copy
import importlib.util
import inspect
import os
import pickle
import subprocess
import sys
import threading
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pyod.models.iforest import IForest
from sklearn.base import clone

from pyod_explain import Condition, OutlierExplainer, PyodExplainError, Tag, explain
from pyod_explain.tags import ForestRules, GivenTags, Itemsets


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"u": rng.normal(size=120), "v": rng.normal(size=120), "kind": rng.choice(list("ab"), 120)})
    frame.loc[:5, "u"] += 9
    frame.loc[6:11, "v"] -= 9
    return frame


@pytest.fixture
def numbers(frame) -> pd.DataFrame:
    return frame[["u", "v"]]


@pytest.fixture
def clf(numbers) -> IForest:
    return IForest(contamination=0.1, random_state=0).fit(numbers.to_numpy())


Y = np.array([1] * 12 + [0] * 108)


def global_state():
    options = ("display.max_rows", "display.width", "display.precision", "compute.use_numexpr")
    return (
        list(warnings.filters),
        np.geterr(),
        np.random.get_state()[1].tolist(),  # noqa: NPY002 - the global one, which nobody should touch
        np.get_printoptions(),
        {name: pd.get_option(name) for name in options},
    )


class TestArguments:
    def test_explain_and_the_estimator_take_the_same(self):
        ours = inspect.signature(explain).parameters
        for name, parameter in inspect.signature(OutlierExplainer).parameters.items():
            assert ours[name].default == parameter.default, name

    def test_the_seed_that_was_drawn_is_among_the_parameters(self, frame):
        for state in (np.random.RandomState(3), np.random.default_rng(3), None):
            e = explain(Y, frame, tags="forest", random_state=state)
            again = explain(Y, frame, tags="forest", random_state=int(e.summary.parameters["random_state"]))
            assert again == e

    def test_only_outliers_are_refused_and_no_outliers_are_not(self, frame):
        with pytest.raises(PyodExplainError, match="`detector`"):
            explain(np.ones(120, dtype=int), frame)
        with pytest.raises(PyodExplainError, match="`y`"):
            OutlierExplainer().fit(frame, np.ones(120, dtype=int))
        for call in (explain, OutlierExplainer().fit):  # who was not asked is not blamed
            with pytest.raises(PyodExplainError, match="`outlier_counts`"):
                call(X=frame, counts=[2] * 120, outlier_counts=[2] * 120)
        assert explain(np.zeros(120, dtype=int), frame).groups == ()

    def test_lists_in_cells_are_refused(self, frame):
        with pytest.raises(PyodExplainError, match=r"'labels'.*\n.*tags"):
            explain(Y, frame.assign(labels=[["odd", "x"]] * 12 + [["x"]] * 108))

    def test_columns_that_hold_labels_or_scores_explain_nothing(self, frame):
        scored = frame.assign(label=Y, score=Y * 3.5)
        named = {c for rule in explain("label", scored, scores="score").rules for c in rule.tag.columns}
        assert named
        assert named <= {"u", "v", "kind"}
        with pytest.raises(PyodExplainError, match="`X`"):
            explain("label", scored[["label"]])


class TestLifeOfAnAttachedExplanation:
    def test_copies_keep_it_and_clones_drop_it(self, clf, numbers):
        explanation = explain(clf, numbers)
        for twin in (pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)):
            assert twin.explanation_.to_frame().equals(explanation.to_frame())
            assert not twin.explanation_.is_stale(twin)
            twin.fit(numbers.to_numpy()[::-1])
            assert twin.explanation_.is_stale(twin)
        assert not hasattr(clone(clf), "explanation_")

    @pytest.mark.skipif(importlib.util.find_spec("pyod.utils.persistence") is None, reason="came with PyOD 3")
    def test_pyods_own_save_keeps_it(self, clf, numbers, tmp_path):
        from pyod.utils.persistence import load, save

        explanation = explain(clf, numbers)
        save(clf, tmp_path / "clf.pyod")
        loaded = load(tmp_path / "clf.pyod", trusted=True)
        assert loaded.explanation_.to_frame().equals(explanation.to_frame())

    def test_a_detector_that_is_not_fitted_is_not_the_one_explained(self, clf, numbers):
        explanation = explain(clf, numbers)
        assert explanation.is_stale(clone(clf))
        assert not explanation.is_stale(clf)


class TestNothingIsLeftBehind:
    def test_threads_get_what_one_gets_alone(self, frame):
        alone = OutlierExplainer().fit(frame, Y).explanation_.to_frame()
        explainer, results = OutlierExplainer(), [None] * 6

        def work(i):
            results[i] = clone(explainer).fit(frame, Y).explanation_.to_frame()

        threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(result.equals(alone) for result in results)

    def test_no_global_state_changes(self, clf, frame, numbers):
        before = global_state()
        explain(clf, numbers, features=frame, tags=["itemsets", "forest"])
        assert global_state() == before


def test_every_process_says_the_same_to_the_last_digit():
    """Sets have another order in every process, so no sum may follow it."""
    code = (
        "from pyod_explain import datasets, explain\n"
        "p = datasets.make_planted(600, 2, 40, random_state=3)\n"
        "said = explain((p.y > 0).astype(int), p.X, method='wccm', groups=3).to_dict()\n"
        "print({name: value for name, value in said.items() if name not in ('timings', 'provenance')})"
    )
    said = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        said.add(done.stdout)
    assert len(said) == 1


@pytest.fixture
def orders() -> tuple[pd.DataFrame, np.ndarray]:
    """Orders whose last ones are large: their number tells them as well as the amount does, and explains nothing."""
    rng = np.random.default_rng(5)
    amount = np.r_[rng.gamma(2, 20, 280), 400 + rng.gamma(2, 20, 20)]
    X = pd.DataFrame({"order_id": 10_000 + np.arange(300), "amount": amount, "kind": rng.choice(list("ab"), 300)})
    return X, (np.arange(300) >= 280).astype(int)


def columns_of(explanation):
    return {name for rule in explanation.rules for name in rule.tag.columns}


@pytest.mark.parametrize(
    "settings", [{"tags": ForestRules(n_estimators=5)}, {"groups": 2}], ids=["forest", "two groups"]
)
def test_identifiers_are_left_out_with_a_note_that_says_how_to_use_them(orders, settings):
    X, y = orders
    e = explain(y, X, **settings)
    assert "order_id" not in columns_of(e)
    [note] = [note for note in e.summary.notes if "id_columns" in note]
    assert "order_id" in note
    assert (e.predict(X.drop(columns="order_id")) > 0).sum() >= 20
    again = explain(y, X.drop(columns="order_id"), **settings)
    assert [rule.tag for rule in again.rules] == [rule.tag for rule in e.rules]  # nor did they make the groups
    assert (again.mdl, again.share_saved) == (e.mdl, e.share_saved)


def test_identifiers_are_what_the_user_says_they_are(orders):
    X, y = orders
    used = explain(y, X.assign(amount=1.0), id_columns=[])
    assert columns_of(used) == {"order_id"}
    assert not any("identifier" in note for note in used.summary.notes)
    told = explain(y, X, id_columns=["amount"], groups=1)
    assert columns_of(told) == {"order_id"}
    with pytest.raises(PyodExplainError, match="id_columns"):
        explain(y, X, id_columns="order_id")


def test_tags_of_the_users_own_may_speak_of_identifiers(orders):
    X, y = orders
    own = Tag.of(Condition("order_id", ">=", 10_280))
    for tags in (own, [own], [own, "itemsets"], GivenTags([own]), (own,)):
        e = explain(y, X, tags=tags, id_columns="auto", groups=1)
        assert not any("identifiers" in note for note in e.summary.notes)
    assert [rule.tag for rule in explain(y, X, tags=[own], groups=1).rules] == [own]
    assert explain(y, X, tags=[own], id_columns=["order_id"], groups=1).rules
    explain(y, X, tags=Itemsets(categorical=["order_id"]), groups=1)

    class Maker:
        def make(self, table, groups):
            return Itemsets().make(replace(table, columns={"order_id": table["order_id"]}), groups)

    assert columns_of(explain(y, X, tags=Maker(), groups=1)) == {"order_id"}


def test_identifiers_may_name_the_groups_and_an_array_has_some_too(orders):
    X, y = orders
    e = explain(y, X.assign(order_id=np.where(y, "late", X["order_id"].astype(str))), groups="order_id")
    assert [group.name for group in e.groups] == ["late"]
    model = OutlierExplainer().fit(np.column_stack([X["order_id"], X["amount"]]), y)
    assert columns_of(model.explanation_) == {"x1"}
    assert model.predict(np.column_stack([X["order_id"], X["amount"]])).sum() == 20
