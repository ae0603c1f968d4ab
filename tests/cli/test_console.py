"""What is said on the terminal besides the report, and that no name of the user's does anything to it."""

import re
import sys

import pytest
from command_line import HOSTILE, assert_harmless, run, start_process
from systems import needs_full

from pyod_explain.cli.start import main


def test_verbose_tells_the_stages(capsys, csv):
    _, _, err = run(capsys, csv, "--labels", "odd", "--no-validate", "--verbose")
    assert "selection" in err
    assert re.search(r"groups: \d+\.\d\d s", err)


@needs_full
@pytest.mark.parametrize("errors", ["closed", "/dev/full"])
def test_nobody_needs_to_hear_the_notes(csv, tmp_path, errors):
    redirect = "2>&-" if errors == "closed" else "2>/dev/full"
    process = start_process(
        csv,
        "--labels",
        "odd",
        "--no-validate",
        "-o",
        tmp_path / "r.json",
        code="import subprocess, sys\n"
        f"sys.exit(subprocess.call(['sh', '-c', 'exec \"$@\" {redirect}', 'sh', sys.executable, '-m', "
        "'pyod_explain.cli', *sys.argv[1:]]))",
    )
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.startswith(b"Column 'odd' marks")
    assert b"note:" not in out
    assert (tmp_path / "r.json").exists()


@pytest.fixture
def hostile(frame, tmp_path):
    path = tmp_path / "hostile.csv"
    renamed = frame.rename(columns={"amount": f"amount{HOSTILE}", "id": f"id{HOSTILE}"})
    renamed["kind"] = [f"odd{HOSTILE}"] * 10 + [f"usual{HOSTILE}"] * 190
    renamed.to_csv(path, index=False)
    return str(path)


def test_no_name_reaches_the_terminal_as_more_than_text(capsys, hostile, tmp_path):
    report = tmp_path / f"r{HOSTILE}.md"
    for arguments in (
        [hostile, "--labels", "odd", "--no-validate", "-o", report, "--verbose"],
        [hostile, "--labels", "odd", "--no-validate", "--groups", "kind", "--index", f"id{HOSTILE}"],
        [hostile, "--labels", f"none{HOSTILE}"],
        [hostile, "--detector", f"X{HOSTILE}"],
        [f"{HOSTILE}.csv"],
        [hostile, "-o", tmp_path / HOSTILE / "r.md"],
    ):
        _, out, err = run(capsys, *arguments)
        assert out + err
        assert_harmless(out)
        assert_harmless(err)
    _, out, _ = run(capsys, hostile, "--labels", "odd", "--no-validate", "--drop", "kind")
    assert r"amount\x1b[31m\x07\x7f\x9b2J\u202e\u2028\u2066\x85 >= " in out  # still to be recognised
    for arguments in ([hostile, f"--{HOSTILE}"], [hostile, "-o", HOSTILE], [hostile, "--method", HOSTILE]):
        with pytest.raises(SystemExit):
            main(arguments)
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert_harmless(err)


def test_what_other_packages_say_is_harmless_too(capsys, csv, monkeypatch):
    def fail(*_args, **_options):
        sys.stdout.write(HOSTILE)
        sys.stderr.write(HOSTILE)
        raise ZeroDivisionError(HOSTILE)

    monkeypatch.setattr("pyod_explain.cli.command.explain", fail)
    for extra, times in (([], 2), (["--verbose"], 3)):
        code, out, err = run(capsys, csv, "--labels", "odd", "--index", "id", *extra)
        assert (code, out) == (1, "")
        assert err.count(r"\x1b[31m") == times
        assert_harmless(err)


def test_the_bar_is_for_terminals(capsys, csv, monkeypatch):
    monkeypatch.setattr("pyod_explain._progress.PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    _, _, err = run(capsys, csv, "--labels", "odd", "--no-validate", "--index", "id")
    assert "selection" in err
    assert err.endswith("\r")
    _, _, err = run(capsys, csv, "--labels", "odd", "--no-validate", "--quiet")
    assert err == ""
