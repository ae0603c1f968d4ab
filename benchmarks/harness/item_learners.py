"""Learners on items: X is rows by items, y is True for the group; each gives rules, a list of (column, value) each.

A rule list (CORELS, BRL) has what each rule predicts, too; its last rule is empty, the default. What of a table a
learner is shown, with which settings and for how long, is up to `contest.py`.
"""

from __future__ import annotations

import random
import re

import numpy as np
import pandas as pd

from harness.learners import fitted_ripper, outlier_paths, skope_rules

MAX_LENGTH = 3  # conditions of a rule, where a learner can be told
SUPPORT = 0.05  # of the group, as in the set-up


def tree(X, y, *, ratio, depth, leaf):
    """scikit-learn's decision tree, all rows, the group weighted to 1/ratio of the rest, or not at all."""
    from sklearn.tree import DecisionTreeClassifier

    weights = None if ratio is None else {True: (~y).sum() / (ratio * y.sum()), False: 1.0}
    model = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, class_weight=weights, random_state=0)
    return outlier_paths(model.fit(X, y).tree_)


def ripper(X, y, *, k, max_conds):
    """wittgenstein's RIPPER."""
    frame = pd.DataFrame(np.where(X, "yes", "no"), columns=[f"x{i}" for i in range(X.shape[1])])
    model = fitted_ripper(frame, y, k=k, max_rule_conds=max_conds)
    return [[(int(one.feature[1:]), one.val == "yes") for one in rule.conds] for rule in model.ruleset_.rules]


def corels(X, y, *, c, max_card):
    """CORELS: the optimal rule list, or the best after its limit of nodes."""
    from corels import CorelsClassifier

    model = CorelsClassifier(c=c, max_card=max_card, n_iter=100_000, verbosity=[])
    model.fit(np.ascontiguousarray(X), y)
    return [([(abs(i) - 1, i > 0) for i in rule["antecedents"] if i], rule["prediction"]) for rule in model.rl_.rules]


def brs(X, y, *, maxlen):
    """Bayesian rule set (imodels)."""
    from imodels import BayesianRuleSetClassifier

    random.seed(0)  # its own seed does not reach all of it; the order of sets of texts still varies from run to run
    names = [f"x{i}" for i in range(X.shape[1])]
    model = BayesianRuleSetClassifier(n_rules=500, maxlen=maxlen, num_iterations=1000, num_chains=2)
    model.fit(pd.DataFrame(X.astype(int), columns=names), y.astype(int))
    return [[(int(re.sub(r"\D", "", name)), not name.endswith("_neg")) for name in rule] for rule in model.rules_]


def brl(X, y, *, minsupport, opposites=False, at_least_one=False):
    """Bayesian rule list (imodels); optionally its surest rule predicts the group where none does, as in the paper."""
    from imodels import BayesianRuleListClassifier

    n_items = X.shape[1]
    columns = np.hstack([X, ~X]) if opposites else X
    model = BayesianRuleListClassifier(minsupport=minsupport, max_iter=3000, random_state=0)
    model.fit(columns.astype(int), y.astype(int))
    found, chances = [], []
    for itemset, chance in zip(model.final_itemsets, model.theta, strict=False):
        places = [] if isinstance(itemset, str) else [int(name.removeprefix("X_")) for name in itemset]
        found.append(([(place % n_items, place < n_items) for place in places], chance > 0.5))
        if not places:  # the default ends the list
            break
        chances.append(chance)
    if at_least_one and chances and not any(predicts for _, predicts in found):
        surest = int(np.argmax(chances))
        found[surest] = (found[surest][0], True)
    return found


def skope(X, y, *, precision_min, n_estimators):
    """SkopeRules (imodels), its rules in its own order."""
    options = {"precision_min": precision_min, "n_estimators": n_estimators, "max_depth": MAX_LENGTH}
    rules = skope_rules(X.astype(float), y, **options)
    return [[(place, sign.startswith(">")) for place, sign, _ in rule] for rule in rules]


def brcg(X, y, *, penalty):
    """Boolean rules by column generation (AIX360: its beam search), with HiGHS for the linear programs."""
    from aix360.algorithms.rbm import BooleanRuleCG

    n_items = X.shape[1]
    names = [(f"x{i}", sign, "") for sign in ("", "not") for i in range(n_items)]
    frame = pd.DataFrame(np.hstack([X, ~X]).astype(int), columns=pd.MultiIndex.from_tuples(names))
    model = BooleanRuleCG(lambda0=penalty, lambda1=penalty, iterMax=10, solver="HIGHS", silent=True)
    model.fit(frame, y.astype(int))
    chosen = model.z.to_numpy()[:, np.asarray(model.w) > 0.5]
    return [[(int(i) % n_items, int(i) < n_items) for i in np.flatnonzero(column)] for column in chosen.T]


def sliceline(X, y, *, alpha):
    """sliceline: the slices where belonging to the group is the error, best first."""
    from sliceline import Slicefinder

    columns = exclusive_columns(X)
    codes = np.stack([(X[:, one] * (np.array(one) + 1)).sum(axis=1) for one in columns], axis=1)
    least = max(1, int(np.ceil(SUPPORT * y.sum())))
    model = Slicefinder(alpha=alpha, k=20, max_l=MAX_LENGTH, min_sup=least, verbose=False)
    model.fit(codes, y.astype(float))
    slices = [[int(code) for code in one if code is not None] for one in model.top_slices_]
    return [[(code - 1, True) for code in one] for one in slices if 0 not in one]


def pysubgroup(X, y, *, a):
    """pysubgroup: beam search for subgroups, quality size**a x (share in it - share), best first."""
    import pysubgroup as ps

    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).assign(group=y)
    task = ps.SubgroupDiscoveryTask(
        frame,
        ps.BinaryTarget("group", True),
        ps.create_selectors(frame, ignore=["group"]),
        result_set_size=20,
        depth=MAX_LENGTH,
        qf=ps.StandardQF(a),
    )
    found = ps.BeamSearch(beam_width=20).execute(task).to_descriptions()
    rules = [[(int(one.attribute_name[1:]), bool(one.attribute_value)) for one in rule.selectors] for _, rule in found]
    return [rule for rule in rules if rule]


def exclusive_columns(X):
    """Join neighbouring items that no row has two of: the columns that they were made from, or as good."""
    columns, taken = [], np.ones(len(X), dtype=bool)
    for i in range(X.shape[1]):
        if (taken & X[:, i]).any():
            columns.append([])
            taken = np.zeros(len(X), dtype=bool)
        columns = columns or [[]]
        columns[-1].append(i)
        taken |= X[:, i]
    return [one for one in columns if one]
