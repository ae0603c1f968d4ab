"""What a column remembers: the answer itself, no more of them than there is room for, and nothing in a pickle."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from pyod_explain.input import CONDITION_CACHE_BYTES, MIN_CACHED_CONDITIONS, Evaluated


class Questions:
    """Evaluates "is the row a multiple of n?", and counts how often."""

    def __init__(self, n_rows: int) -> None:
        self.rows = np.arange(n_rows)
        self.evaluated: list[int] = []

    def ask(self, answers: Evaluated, n: int) -> Any:
        def evaluate() -> Any:
            self.evaluated.append(n)
            return self.rows % n == 0

        return answers.ask(n, evaluate)


@pytest.mark.parametrize("n_rows", [0, 1, 64, 65, 1000])
def test_the_second_answer_is_the_first(n_rows: int) -> None:
    questions, answers = Questions(n_rows), Evaluated(n_rows)
    for _ in range(3):
        assert questions.ask(answers, 7).tolist() == [i % 7 == 0 for i in range(n_rows)]
    assert questions.evaluated == [7]


def test_whoever_changes_an_answer_changes_their_own_copy() -> None:
    questions, answers = Questions(10), Evaluated(10)
    for _ in range(3):
        answer = questions.ask(answers, 2)
        assert answer.sum() == 5
        answer[:] = True


def test_of_too_many_answers_the_latest_are_kept() -> None:
    n_rows = CONDITION_CACHE_BYTES  # so long a column that only the fewest answers are kept
    questions, answers = Questions(n_rows), Evaluated(n_rows)
    for n in range(1, MIN_CACHED_CONDITIONS + 1):
        questions.ask(answers, n)
    questions.ask(answers, 1)  # now the latest
    questions.ask(answers, MIN_CACHED_CONDITIONS + 1)  # one too many: 2 is forgotten
    assert len(questions.evaluated) == MIN_CACHED_CONDITIONS + 1
    questions.ask(answers, 1)
    assert len(questions.evaluated) == MIN_CACHED_CONDITIONS + 1
    questions.ask(answers, 2)
    assert len(questions.evaluated) == MIN_CACHED_CONDITIONS + 2


def test_short_columns_keep_more_answers() -> None:
    questions, answers = Questions(100), Evaluated(100)
    for _ in range(2):
        for n in range(1, 10 * MIN_CACHED_CONDITIONS):
            questions.ask(answers, n)
    assert len(questions.evaluated) == 10 * MIN_CACHED_CONDITIONS - 1


def test_a_pickle_holds_no_answers() -> None:
    questions, answers = Questions(100_000), Evaluated(100_000)
    questions.ask(answers, 3)
    assert len(pickle.dumps(answers)) < 1000
    questions.ask(pickle.loads(pickle.dumps(answers)), 3)
    assert questions.evaluated == [3, 3]


def test_threads_get_the_answers_of_their_questions() -> None:
    n_rows = 10_000
    questions, answers = Questions(n_rows), Evaluated(n_rows)
    wanted = [n % 97 + 1 for n in range(2_000)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: int(questions.ask(answers, n).sum()), wanted))
    assert found == [len(range(0, n_rows, n)) for n in wanted]
