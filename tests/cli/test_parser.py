"""Wrong usage, and the help."""

import pytest

from pyod_explain.cli.start import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name the table to read, or --now and --before"),
        (["{csv}", "--labels", "odd", "--detector", "KNN"], "--labels says which rows are outliers"),
        (["{csv}", "-o", "report.pdf"], "must end in .html"),
        (["{csv}", "-o", "{csv}/"], "must end in .html"),
        (["{csv}", "--contamination", "7"], "must be a share from 0 to 1"),
        (["{csv}", "--contamination", "much"], "must be a share from 0 to 1, got much"),
        (["{csv}", "--placebo", "0"], "argument --placebo: must be a whole number of at least 1, got 0"),
        (["demo", "--placebo", "-1"], "argument --placebo: must be a whole number of at least 1, got -1"),
        (["{csv}", "--placebo", "much"], "argument --placebo: must be a whole number of at least 1, got much"),
        (["{csv}", "--param", "n_neighbors"], "must be KEY=VALUE"),
        (["{csv}", "--method", "magic"], "invalid choice"),
        (["{csv}", "--lab", "odd"], "unrecognized arguments"),
    ],
)
def test_wrong_usage_is_2_and_one_line(capsys, csv, arguments, message):
    with pytest.raises(SystemExit) as stopped:
        main([argument.format(csv=csv) for argument in arguments])
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert "pyod-explain data.csv --detector ECOD --contamination 0.02 -o report.html" in out
    for command in ("demo", "detectors"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
