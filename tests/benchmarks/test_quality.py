"""A peer that takes too long is left out of a case, which is kept, and stops nothing."""

import pytest


def never_done(X, y):
    while True:
        pass


def test_a_peer_that_takes_too_long_is_left_out_and_not_asked_again(benchmark_module, monkeypatch, tmp_path, capsys):
    quality = benchmark_module("quality")
    peers = {"tree3": quality.PEERS["tree3"], "slow": quality.Learner(never_done, {})}
    monkeypatch.setattr(quality, "PEERS", peers)
    (case,) = quality.cases(only=["wine/truth"])
    cache = quality.Cache(tmp_path)
    result = quality.run_case(case, peers | quality.variants("default"), cache, 1.0)
    assert list(result["scores"]) == ["tree3", "ours default"]
    assert result["errors"] == {"slow": "TimeoutError: stopped after 1 CPU s"}
    monkeypatch.setattr(quality, "within", lambda *_: pytest.fail("it is asked again"))
    assert quality.run_case(case, {"slow": peers["slow"]}, cache, 1.0)["errors"] == result["errors"]
    quality.show_cases(result, ["tree3", "slow", "ours default"], header=True)
    quality.show_summary([result], {"peers": ["tree3", "slow"]})
    shown = capsys.readouterr().out
    assert "    slow left out: TimeoutError: stopped after 1 CPU s\n" in shown
    assert "best of 1 peers" in shown
