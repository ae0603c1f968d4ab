"""Learners on a table as it is: each takes a table and its outliers and gives a `Learned`: what it says of new rows.

Peers come from the packages that `PEERS` names; one that is not installed is left out. Learners of numbers (trees,
SkopeRules, the black box) get the columns of `Encoder`; the others get the table as it is, with missing numbers as the
median and a column that says so.

Conditions are counted as a reader would: two thresholds on the same column and side are one, and all "is not" of
a column are one, "is none of". A tree gives the nodes below which all leaves say outlier. Of learners whose answer is
a sum or a vote (FIGS, CN2), what speaks for an outlier is counted, and not what speaks against it.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from threadpoolctl import threadpool_limits

from harness.columns import Encoder, Plain
from pyod_explain import explain

Said = Callable[[pd.DataFrame], NDArray[np.bool_]]


@dataclass(frozen=True)
class Learned:
    """What was found: which new rows it calls outliers, and how much there is to read."""

    says: Said
    rules: float = float("nan")
    conditions: float = float("nan")


def ours(X: pd.DataFrame, y: NDArray[np.bool_], **options: Any) -> Learned:
    """`explain` with these options."""
    found = explain(y.astype(int), X, **options)
    lengths = [len(rule.tag.conditions) for rule in found.rules]
    return Learned(lambda new: found.predict(new) > 0, len(lengths), sum(lengths))


def tree(X: pd.DataFrame, y: NDArray[np.bool_], **options: Any) -> Learned:
    """scikit-learn's decision tree."""
    from sklearn.tree import DecisionTreeClassifier

    encoder = Encoder(X)
    model = DecisionTreeClassifier(random_state=0, **options).fit(encoder.encode(X), y)
    rules = [[encoder.statement(place, high=high) for place, high in path] for path in outlier_paths(model.tree_)]
    return Learned(lambda new: model.predict(encoder.encode(new)), len(rules), count_conditions(rules))


def outlier_paths(nodes: Any) -> list[list[tuple[int, bool]]]:
    """Give the ways to the nodes below which all leaves say outlier: column and side at each turn."""
    left, right = nodes.children_left, nodes.children_right
    found = []

    def predicts(node):
        if left[node] < 0:
            return {bool(nodes.value[node][0].argmax())}
        return predicts(left[node]) | predicts(right[node])

    def walk(node, path):
        classes = predicts(node)
        if classes == {True}:
            found.append(path)
        elif len(classes) == 2:
            walk(left[node], [*path, (int(nodes.feature[node]), False)])
            walk(right[node], [*path, (int(nodes.feature[node]), True)])

    walk(0, [])
    return found


def count_conditions(rules: Iterable[Iterable[tuple[str, str]]]) -> int:
    """Count the conditions of all rules; statements about the same column and side are one."""
    return sum(len(set(rule)) for rule in rules)


def ripper(X: pd.DataFrame, y: NDArray[np.bool_], **options: Any) -> Learned:
    """wittgenstein's RIPPER."""
    plain = Plain(X)
    model = fitted_ripper(plain.make(X), y, **options)
    rules = [[(one.feature, "") for one in rule.conds] for rule in model.ruleset_.rules]
    return Learned(
        lambda new: np.asarray(model.predict(plain.make(new)), dtype=bool), len(rules), count_conditions(rules)
    )


def fitted_ripper(X: pd.DataFrame, y: NDArray[np.bool_], **options: Any) -> Any:
    from wittgenstein import RIPPER

    model = RIPPER(random_state=0, **options)
    model.fit(X, y=pd.Series(y.astype(int), name="outlier", index=X.index), pos_class=1)
    return model


def skope(X: pd.DataFrame, y: NDArray[np.bool_], *, first: int | None = None, **options: Any) -> Learned:
    """SkopeRules (imodels): its rules in its own order, all or the first so many."""
    encoder = Encoder(X)
    parts = skope_rules(encoder.encode(X), y, **options)[:first]
    read = [[encoder.statement(place, high=sign.startswith(">")) for place, sign, _ in rule] for rule in parts]

    def says(new):
        numbers = encoder.encode(new)
        return np.any([np.zeros(len(new), dtype=bool), *(holds(rule, numbers) for rule in parts)], axis=0)

    return Learned(says, len(read), count_conditions(read))


def skope_rules(numbers: NDArray, y: NDArray[np.bool_], **options: Any) -> list[list[tuple[int, str, float]]]:
    """Give rules as thresholds on columns: place, sign, value."""
    from imodels import SkopeRulesClassifier

    model = SkopeRulesClassifier(random_state=0, **options).fit(numbers, y.astype(int))
    rules = [one.agg_dict for one in model.rules_without_feature_names_]
    return [
        [(int(name.removeprefix("X_")), sign, float(value)) for (name, sign), value in rule.items()] for rule in rules
    ]


SIGNS = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}


def holds(rule: list[tuple[int, str, float]], numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.all([SIGNS[sign](numbers[:, place], value) for place, sign, value in rule], axis=0)


def rulekit(X: pd.DataFrame, y: NDArray[np.bool_], **options: Any) -> Learned:
    """RuleKit: the rules that it finds for the outliers, any of which says outlier.

    Its seconds include the start of Java, once in each process.
    """
    from rulekit.classification import RuleClassifier
    from rulekit.params import Measures

    plain = Plain(X)
    model = RuleClassifier(**{name: getattr(Measures, measure) for name, measure in options.items()})
    model.fit(plain.make(X), pd.Series(np.where(y, "yes", "no"), name="outlier"))
    own = [i for i, rule in enumerate(model.model.rules) if "{yes}" in str(rule).partition(" THEN ")[2]]
    texts = [str(model.model.rules[i]).partition("IF ")[2].partition(" THEN ")[0] for i in own]
    conditions = sum(text.count(" AND ") + 1 for text in texts)  # it merges those of one column itself
    return Learned(lambda new: covered_by(model, plain.make(new), own), len(own), conditions)


def covered_by(model: Any, X: pd.DataFrame, rules: list[int]) -> NDArray[np.bool_]:
    return np.asarray(model.get_coverage_matrix(X), dtype=bool)[:, rules].any(axis=1)


def cn2(X: pd.DataFrame, y: NDArray[np.bool_], **options: Any) -> Learned:
    """Orange's unordered CN2: rules for outliers, which are counted, and rules for normal rows vote."""
    from Orange.classification import CN2UnorderedLearner
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table

    plain = Plain(X)
    known = plain.make(X)
    values = {name: sorted(set(known[name])) for name in known if not is_numeric_dtype(known[name])}
    columns = [DiscreteVariable(name, values[name]) if name in values else ContinuousVariable(name) for name in known]

    def numbers(new):  # a value that is not known is NaN, which equals nothing
        frame = plain.make(new)
        codes = {name: pd.Categorical(frame[name], categories=own).codes for name, own in values.items()}
        cells = frame.assign(**codes).to_numpy(dtype=np.float64)
        return np.where((cells < 0) & np.isin(frame.columns, [*values]), np.nan, cells)

    domain = Domain(columns, DiscreteVariable("outlier", ("no", "yes")))
    model = CN2UnorderedLearner(**options)(Table.from_numpy(domain, numbers(X), y.astype(float)))
    own = [rule for rule in model.rule_list if rule.target_class == 1]
    read = [[(one.column, one.op) for one in rule.selectors] for rule in own]
    return Learned(lambda new: model.predict(numbers(new)).argmax(axis=1) == 1, len(read), count_conditions(read))


def figs(X: pd.DataFrame, y: NDArray[np.bool_], **options: Any) -> Learned:
    """FIGS (imodels): a sum of trees.

    A rule is the path to a leaf that adds more for outliers than its tree does on average over the known rows. On each
    path the conditions are counted as those of a tree are.
    """
    from imodels import FIGSClassifier

    encoder = Encoder(X)
    numbers = encoder.encode(X)
    with repeatable():
        model = FIGSClassifier(random_state=0, **options).fit(numbers, y.astype(int))
    read = []

    def walk(node, path, average):
        if node.left is None:
            if node.value[1] > average:
                read.append([encoder.statement(place, high=high) for place, high in path])
            return
        walk(node.left, [*path, (node.feature, False)], average)
        walk(node.right, [*path, (node.feature, True)], average)

    for root, added in zip(model.trees_, np.moveaxis(model.predict(numbers, by_tree=True), 2, 0), strict=True):
        walk(root, [], added[:, 1].mean())
    return Learned(lambda new: model.predict(encoder.encode(new)) == 1, len(read), count_conditions(read))


def greedy_list(X: pd.DataFrame, y: NDArray[np.bool_], **options: Any) -> Learned:
    """imodels' greedy rule list: one condition a rule, read in order, up to the last that says outlier."""
    from imodels import GreedyRuleListClassifier

    encoder = Encoder(X)
    with repeatable():
        model = GreedyRuleListClassifier(**options).fit(encoder.encode(X), y.astype(int))
    *rules, last = model.rules_
    outlier = [rule["val_right"] > 0.5 for rule in rules]
    length = len(rules) if last["val"] > 0.5 else max((i + 1 for i, says in enumerate(outlier) if says), default=0)
    return Learned(lambda new: model.predict(encoder.encode(new)) == 1, length, length)


@contextlib.contextmanager
def repeatable() -> Iterator[None]:
    """Let trees that draw from numpy's global state break ties in the same way each time."""
    before = np.random.get_state()  # noqa: NPY002 - it is what they draw from
    np.random.seed(0)  # noqa: NPY002 - likewise
    yield
    np.random.set_state(before)  # noqa: NPY002 - likewise


def black_box(X: pd.DataFrame, y: NDArray[np.bool_], **options: Any) -> Learned:
    """Gradient boosting: how well the outliers could be told by something that nobody can read."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    encoder = Encoder(X)
    model = HistGradientBoostingClassifier(random_state=0, **options).fit(encoder.encode(X), y)
    return Learned(lambda new: model.predict(encoder.encode(new)))


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what learners print and warn of to themselves."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


@dataclass(frozen=True)
class Learner:
    """A learner with its settings.

    Attributes
    ----------
    learn : takes the table and the outliers.
    options : its settings.
    packages : what has to be installed; the first one's version is told.
    modules : what they are imported as.
    """

    learn: Callable[..., Learned]
    options: dict[str, Any]
    packages: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    @property
    def installed(self) -> bool:
        return all(find_spec(module) for module in self.modules)

    @property
    def version(self) -> str:
        """Name what the results depend on, apart from the case."""
        own = f"{self.packages[0]} {version(self.packages[0])}" if self.packages else "pyod_explain"
        return f"{own}, {self.learn.__name__} {self.options}"

    def __call__(self, X: pd.DataFrame, y: NDArray[np.bool_]) -> Learned:
        with quiet(), threadpool_limits(1):  # threads that wait count as CPU
            learned = self.learn(X, y, **self.options)
        return replace(learned, says=quiet()(learned.says))


SKLEARN = {"packages": ("scikit-learn",), "modules": ("sklearn",)}
IMODELS = {"packages": ("imodels", "six"), "modules": ("imodels", "six")}
WITTGENSTEIN = {"packages": ("wittgenstein",), "modules": ("wittgenstein",)}
ORANGE = {"packages": ("Orange3",), "modules": ("Orange", "orangecanvas")}
RULEKIT = {"packages": ("rulekit",), "modules": ("rulekit", "jpype")}
PEERS = {
    "tree3": Learner(tree, {"max_depth": 3}, **SKLEARN),
    "tree3-balanced": Learner(tree, {"max_depth": 3, "class_weight": "balanced"}, **SKLEARN),
    "tree5": Learner(tree, {"max_depth": 5}, **SKLEARN),
    "tree5-balanced": Learner(tree, {"max_depth": 5, "class_weight": "balanced"}, **SKLEARN),
    "skope": Learner(skope, {}, **IMODELS),
    "skope-first5": Learner(skope, {"first": 5}, **IMODELS),
    "ripper": Learner(ripper, {}, **WITTGENSTEIN),
    "ripper-bins20": Learner(ripper, {"n_discretize_bins": 20}, **WITTGENSTEIN),
    "figs20": Learner(figs, {"max_rules": 20}, **IMODELS),
    "greedy_list": Learner(greedy_list, {}, **IMODELS),
    "cn2": Learner(cn2, {}, **ORANGE),
    "rulekit": Learner(rulekit, {}, **RULEKIT),
    "rulekit-C2": Learner(rulekit, {"induction_measure": "C2", "pruning_measure": "C2"}, **RULEKIT),
    "black_box": Learner(black_box, {}, **SKLEARN),
}
