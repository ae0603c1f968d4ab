"""Damaged files: each is one clear error at reading, or an explanation all of whose views work."""

import damage
import pytest

FILES = damage.files()


@pytest.mark.parametrize("number", range(len(FILES)))
def test_a_damaged_file_is_refused_or_works_in_every_view(number):
    X, original = FILES[number]
    damage.views(original, X, original)
    results = {name: damage.outcome(text, X, original) for name, text in damage.cases(original, 0.004, seed=number)}
    assert {name: result for name, result in results.items() if result not in ("refused", "read")} == {}
    assert list(results.values()).count("refused") > 20


@pytest.mark.parametrize("number", range(len(FILES)))
def test_a_damaged_text_is_refused_or_works_in_every_view(number):
    X, original = FILES[number]
    texts = list(damage.damaged_texts(original.to_json()))[number :: 3 * len(FILES)]
    results = {name: damage.outcome(text, X, original) for name, text in texts}
    assert {name: result for name, result in results.items() if result not in ("refused", "read")} == {}


def test_the_check_would_find_out_what_gets_through():
    X, original = FILES[0]
    evil = damage.json.loads(original.to_json())
    evil["groups"][0]["name"] = damage.SCRIPT
    e = damage.Explanation.from_json(damage.json.dumps(evil))
    damage.views(e, X, original)  # escaped
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pyod_explain.report.html.pen.escape", lambda text, **_: text)
        with pytest.raises(AssertionError, match="a script in the page"):
            damage.views(e, X, original)
