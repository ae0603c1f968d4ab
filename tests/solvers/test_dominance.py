import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pyod_explain.bits import pack
from pyod_explain.solvers import Deadline, Limits, undominated


def flags(n_tags, n_rows):
    return arrays(bool, (n_tags, n_rows))


def dominates(i, j, own, foreign, normals):
    """By its definition, with sets; of equal tags the first dominates."""
    as_good = (own[i] >= own[j]).all() and (foreign[i] <= foreign[j]).all() and (normals[i] <= normals[j]).all()
    equal = all((bits[i] == bits[j]).all() for bits in (own, foreign, normals))
    return as_good and (not equal or i < j)


@given(st.data())
def test_a_tag_stays_unless_another_dominates_it(data):
    n_tags = data.draw(st.integers(0, 8))
    bits = [data.draw(flags(n_tags, n)) for n in (4, 3, 3)]
    expected = [not any(dominates(i, j, *bits) for i in range(n_tags) if i != j) for j in range(n_tags)]
    assert undominated(*map(pack, bits)).tolist() == expected


def test_many_tags_are_compared_some_at_a_time():
    rng = np.random.default_rng(0)
    bits = [pack(rng.random((300, n)) < 0.3) for n in (12, 5, 6)]
    at_once = undominated(*bits)
    few = Limits(compared=50, compared_words=50)
    assert undominated(*bits, limits=few).tolist() == at_once.tolist()
    assert 0 < at_once.sum() < 300


def test_past_the_deadline_all_tags_are_kept():
    bits = pack(np.ones((3, 2), dtype=bool))
    assert undominated(bits, bits, bits, deadline=Deadline.after(0.0)).all()
