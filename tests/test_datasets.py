"""Tables with planted reasons: each covers its group and nothing else."""

import numpy as np
import pandas as pd
import pytest

from pyod_explain.datasets import make_planted, make_pumps
from pyod_explain.exceptions import PyodExplainError


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("n_groups", [1, 2, 5])
def test_a_reason_covers_its_group_and_nothing_else(n_groups: int, length: int, seed: int) -> None:
    data = make_planted(300, n_groups, reason_length=length, missing=0.1, random_state=seed)
    assert len(data.reasons) == n_groups
    for group, reason in enumerate(data.reasons, start=1):
        assert len(reason) == len(reason.columns) == length
        np.testing.assert_array_equal(reason.covers(data.X), data.y == group)


@pytest.mark.parametrize("seed", range(5))
def test_the_faults_of_the_pumps_cover_their_groups_and_nothing_else(seed: int) -> None:
    data = make_pumps(seed)
    assert np.bincount(data.y).tolist() == [1938, 30, 24, 24]
    for group, reason in enumerate(data.reasons, start=1):
        np.testing.assert_array_equal(reason.covers(data.X), data.y == group)


def test_each_condition_is_common_among_normals_and_only_the_conjunction_is_rare() -> None:
    for seed in range(5):
        data = make_planted(4000, random_state=seed)
        normals = data.X[data.y == 0]
        for reason in data.reasons:
            for condition in reason.conditions:
                share = type(reason).of(condition).covers(normals).mean()
                assert 0.02 < share < 0.5, (seed, condition)


def test_columns_are_of_every_kind_and_have_gaps_where_said() -> None:
    data = make_planted(5000, n_numeric=10, n_categorical=7, missing=0.2)
    kinds = {str(name): pd.api.types.infer_dtype(data.X[name], skipna=True) for name in data.X}
    assert set(kinds.values()) == {"floating", "integer", "string", "boolean"}
    assert len(kinds) == 17
    assert {"amount", "amount_2", "channel", "channel_2"} <= set(kinds)
    for name, kind in kinds.items():
        share = data.X[name].isna().mean()
        assert share == 0 if kind in ("integer", "boolean") else 0.15 < share < 0.25


def test_same_arguments_same_table_other_seed_other_table() -> None:
    one, two, other = (make_planted(400, 3, noise=0.1, random_state=seed) for seed in (7, 7, 8))
    pd.testing.assert_frame_equal(one.X, two.X)
    np.testing.assert_array_equal(one.y, two.y)
    assert one.reasons == two.reasons
    assert one.reasons != other.reasons


@pytest.mark.parametrize("noise", [0.05, 0.2, 0.5])
def test_noise_moves_labels_from_outliers_to_normals_and_leaves_the_rest(noise: float) -> None:
    clean = make_planted(2000, n_outliers=[100, 40], random_state=2)
    noisy = make_planted(2000, n_outliers=[100, 40], noise=noise, random_state=2)
    pd.testing.assert_frame_equal(clean.X, noisy.X)
    np.testing.assert_array_equal(clean.y, noisy.y_true)
    np.testing.assert_array_equal(np.bincount(noisy.y), [1860, 100, 40])
    for group, size in ((1, 100), (2, 40)):
        labelled = noisy.y == group
        assert (labelled & (noisy.y_true == 0)).sum() == round(noise * size)
        assert (labelled & (noisy.y_true == group)).sum() == size - round(noise * size)


def test_group_sizes() -> None:
    assert np.bincount(make_planted(100).y).tolist() == [95, 3, 2]
    assert np.bincount(make_planted(10, 3).y).tolist() == [7, 1, 1, 1]
    assert np.bincount(make_planted(100, 3, 20).y).tolist() == [80, 7, 7, 6]
    assert np.bincount(make_planted(100, 2, np.array([5, 9])).y).tolist() == [86, 5, 9]  # works
    assert repr(make_planted(1000, 2, [5, 9])) == "Planted(1,000 rows x 10 columns, groups of 5, 9)"


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({"n_rows": 1}, "n_rows"), ({"n_outliers": 1}, "n_outliers"), ({"n_rows": 50, "n_outliers": 50}, "n_outliers"),
        ({"noise": 1.0}, "noise"), ({"n_rows": 30, "n_outliers": 20, "noise": 0.9}, "noise"),
        ({"random_state": None}, "random_state"), ({"n_numeric": 1, "n_categorical": 0}, "n_groups"),
    ],
)  # fmt: skip
def test_bad_arguments(arguments, wrong):
    with pytest.raises(PyodExplainError, match=wrong):
        make_planted(**arguments)
