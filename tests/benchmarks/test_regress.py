"""The check of kept figures fails with a line a figure that got worse, and says what it leaves out."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def now(regress, monkeypatch):
    """What is measured, in place of a minute of work."""
    found = regress.Measured(passes=[0.1])
    found.note("wine/truth", **{"held-out bits": 0.5})
    found.note("explain, other tables", **{"CPU, in passes": 10.0})
    monkeypatch.setattr(regress, "measure", lambda: found)
    return found


def test_what_was_kept_passes_and_what_is_worse_fails_with_its_line(regress, now, tmp_path, capsys):
    file = tmp_path / "kept.json"
    assert regress.main(["--kept", str(file), "--update"]) == 0
    assert regress.main(["--kept", str(file)]) == 0
    assert "Nothing got worse." in capsys.readouterr().out
    now.note("wine/truth", **{"held-out bits": 0.6})
    assert regress.main(["--kept", str(file)]) == 1
    told = capsys.readouterr().out
    assert "WORSE: held-out bits of wine/truth: 0.6000, was 0.5000; at most 0.5500 is let pass\n" in told
    assert "\n1 figure got worse." in told
    now.note("wine/truth", **{"held-out bits": 0.5})
    now.note("explain, other tables", **{"CPU, in passes": 17.0})
    assert regress.main(["--kept", str(file)]) == 1
    assert "WORSE: CPU, in passes of explain, other tables: 17.0000, was 10.0000" in capsys.readouterr().out


def test_without_data_files_it_says_what_it_leaves_out(regress, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PYOD_EXPLAIN_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(regress, "chosen_cases", lambda: [regress.Case("fault", "truth", "tune", regress.Cache())])
    found = regress.Measured()
    regress.held_out(found)
    regress.known_causes(found)
    monkeypatch.setattr(regress.kinds, "POPULATION", 100_000)
    regress.known_kinds(found)
    files = {"fault/truth", regress.OF_FILES, "all incidents", "incidents", "10 sets", "known kinds"}
    assert found.left_out == files
    assert list(found.figures["rare kinds, found"]) == ["1 rows each", "50 rows each", "1,000 rows each"]
    kept = {"held-out bits": {"fault/truth": 0.1}, "CPU, in passes": {"incidents": 9.0, regress.OF_FILES: 100.0}}
    found.passes.append(1.0)
    assert regress.report({"versions": {}, "figures": kept}, found) == 0
    assert capsys.readouterr().out.startswith(
        "Left out, as data files are not here (docs/datasets.md): 10 sets; all incidents; "
    )


def test_rules_on_noise_are_counted_and_so_are_claims(regress, monkeypatch):
    rows = pd.DataFrame({"a": [*range(60), *range(900, 912)]}), np.array([0] * 60 + [1] * 12)
    monkeypatch.setattr(regress.noise, "noise", lambda seed: rows)
    monkeypatch.setattr(regress, "N_NOISE", 2)
    found = regress.Measured()
    regress.nothing(found)
    assert found.figures["noise, tables with rules"] == found.figures["noise, tables with a claim"] == {"2 tables": 2.0}


def test_the_kept_file_has_all_that_is_measured_by_default(regress):
    kept = json.loads(regress.KEPT.read_text(encoding="utf-8"))["figures"]
    assert list(kept) == list(regress.MEASURES)
    assert set(kept["held-out bits"]) == {case.name for case in regress.chosen_cases()}
    assert kept["noise, tables with a claim"][f"{regress.N_NOISE} tables"] <= 0.05 * regress.N_NOISE
