"""The cases are drawn the same way each time, and nothing that is tuned on is reported on."""

import numpy as np


def case(tables, name, cache=None):
    return next(iter(tables.cases(only=[name], cache=cache)))


def test_tables_of_the_same_things_are_of_the_same_half(tables):
    halves = tables.halves()
    assert halves["satellite"] == halves["landsat"]
    assert halves["wdbc"] == halves["breast_cancer"]
    counts = [list(halves.values()).count(half) for half in ("tune", "report")]
    assert sum(counts) == len(tables.TABLES)
    assert min(counts) >= 10


def test_each_row_is_unseen_once(tables):
    one = case(tables, "wine/truth")
    assert sorted(np.concatenate([unseen for _, unseen in one.folds])) == list(range(len(one.X)))
    assert all(one.y[unseen].sum() == 16 for _, unseen in one.folds)  # 48 in all


def test_labels_are_kept_and_the_same_again(tables, tmp_path):
    first, again = (case(tables, "wine/IForest", tmp_path) for _ in range(2))
    assert first.y.sum() == 9
    assert (first.y == again.y).all()
    assert (tmp_path / "wine" / "IForest" / "labels.json").is_file()
    assert (case(tables, "wine/IForest").y == first.y).all()
