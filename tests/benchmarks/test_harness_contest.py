"""Rules of learners on items become tags that cover the same rows, and the best answer of each group counts."""

import multiprocessing

import numpy as np
import pytest

from pyod_explain import evaluate


@pytest.fixture
def contest(benchmark_module):
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("learners run in forked processes, which this system has not")
    return benchmark_module("harness.contest")


@pytest.fixture
def items():
    return np.random.default_rng(0).random((6, 400)) < 0.4


@pytest.fixture
def y(items):
    return np.select([items[0] & items[1], items[2] & ~items[3]], [1, 2], 0)


def test_a_rule_list_written_out_says_what_the_list_says(descriptions, items):
    rules = [([(0, True)], False), ([(1, True), (2, True)], True), ([(3, False)], False), ([], True)]
    open_, said = np.ones(400, dtype=bool), np.zeros(400, dtype=bool)
    for rule, predicts in rules:
        holds = open_ & (descriptions.rows_with(items, rule) if rule else True)
        said |= holds & predicts
        open_ &= ~holds
    (exact,) = descriptions.readings(rules)
    assert (np.any([descriptions.rows_with(items, rule) for rule in exact], axis=0) == said).all()


def test_the_best_setting_of_each_group_counts(contest, descriptions, items, y):
    def learn(X, target, *, good):
        return [[(0, True), (1, True)], [(2, True), (3, False)]] if good else [[(4, True)]]

    peer = contest.Peer(learn, "none", (), contest.grid(ratio=[None], good=[False, True]), ranks=True)
    found = contest.compete(peer, items, y, 60)
    assert found.remark == ""
    assert [found.best[k].setting["good"] for k in (0, 1)] == [True, True]
    coverage, chosen = descriptions.described(items, y, found.rules(2))
    assert evaluate(coverage, chosen)["FUO"].tolist() == [0.0, 0.0]


def test_a_learner_that_fails_or_takes_too_long_says_so(contest, items, y):
    def learn(X, target, *, slow):
        while slow:
            slow += 1
        raise ValueError("cannot")

    failing = contest.compete(contest.Peer(learn, "none", (), contest.grid(ratio=[4], slow=[False])), items, y, 60)
    assert (failing.best, failing.remark) == ({}, "nothing for 2 groups; failed at times: ValueError: cannot; ")
    slow = contest.compete(contest.Peer(learn, "none", (), contest.grid(ratio=[4], slow=[True])), items, y, 1)
    assert slow.remark == "stopped after 1 CPU s: 0 of 2 fits; nothing for 2 groups; "
