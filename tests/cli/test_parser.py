"""Wrong usage, and the help."""

from pathlib import Path

import pytest
from command_line import start_process

import pyod_explain
from pyod_explain.cli import parser
from pyod_explain.cli.start import main
from pyod_explain.explainers import METHODS, SOLVERS
from pyod_explain.report import DIALECTS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name the table to read, or --now and --before"),
        (["{csv}", "--labels", "odd", "--detector", "KNN"], "--labels says which rows are outliers"),
        (["{csv}", "-o", "report.pdf"], "must end in .html"),
        (["{csv}", "-o", "{csv}/"], "must end in .html"),
        (["{csv}", "--contamination", "7"], "must be a share from 0 to 1"),
        (["{csv}", "--contamination", "much"], "must be a share from 0 to 1, and below 1, got much"),
        (["demo", "--placebo", "-1"], "argument --placebo: must be a whole number of at least 0, got -1"),
        (["{csv}", "--placebo", "much"], "argument --placebo: must be a whole number of at least 0, got much"),
        (["{csv}", "--validate", "1"], "argument --validate: must be 0, or at least 2 parts"),
        (["{csv}", "--max-length", "0"], "argument --max-length: must be a whole number of at least 1, got 0"),
        (["{csv}", "--max-tags", "0"], "argument --max-tags: must be a whole number of at least 1, got 0"),
        (["{csv}", "--seed", "-1"], "argument --seed: must be a whole number of at least 0, got -1"),
        (["{csv}", "--weight", "much"], "argument --weight: must be a number, got much"),
        (["{csv}", "--sep", "ab"], "argument --sep: must be one character, tab or space, got 'ab'"),
        (["{csv}", "--sep", "x"], "argument --sep: must not be a letter"),
        (["{csv}", "--decimal", ";"], "argument --decimal: invalid choice"),
        (["{csv}", "--encoding", "hex"], "argument --encoding: must be an encoding such as utf-8 or cp1252, got 'hex'"),
        (["{csv}", "--encoding", "nothing"], "argument --encoding: must be an encoding"),
        (["{csv}", "--encoding", "idna"], "argument --encoding: must be an encoding"),
        (["{csv}", "--encoding", "undefined"], "argument --encoding: must be an encoding"),
        (["{csv}", "--encoding", "Raw_Unicode_Escape"], "argument --encoding: must be an encoding"),
        (["{csv}", "--header", "--no-header"], "argument --no-header: not allowed with argument --header"),
        (["{csv}", "--relations", "--no-relations"], "--no-relations: not allowed with argument --relations"),
        (["{csv}", "--no-validate", "--validate", "3"], "--validate: not allowed with argument --no-validate"),
        (["{csv}", "--sample", "9"], "--sample is for parquet files, which are read a part at a time; all rows of"),
        (["-", "--sample", "9"], "--sample is for parquet files"),
        (["{csv}", "--param", "a=1", "--param", "b=1", "--param", "a=2"], "--param says twice what a is"),
        (["{csv}", "--contamination", "0.1", "--param", "contamination=0.2"], "say the same: leave one out"),
        (["{csv}", "--seed", "4294967296"], "must be a whole number of at least 0 and below 2**32"),
        (["{csv}", "--simplify", "1"], "must be a share from 0 to 1, and below 1, got 1"),
        (["{csv}", "--only", ""], "argument --only: must name at least one, got ''"),
        (["{csv}", "--drop", " ,"], "argument --drop: must name at least one, got ' ,'"),
        (["{csv}", "--outlier-values", ""], "argument --outlier-values: must name at least one"),
        (["{csv}", "--rows", "-o", "r.json"], "--rows needs a file that it is for: -o report.html or -o report.md"),
        (["{csv}", "--examples", "3"], "--examples needs a file that it is for: -o report.html"),
        (["{csv}", "--dialect", "ansi", "-o", "r.json"], "--dialect needs a file that it is for: -o rules.sql"),
        (["{csv}", "--sql-table", "t", "-o", "r.html"], "--sql-table needs a file that it is for"),
        (["{csv}", "--sql-table", "", "-o", "r.sql"], "--sql-table must be a name, got ''"),
        (["--now", "a.csv", "--before", "b.csv", "--examples", "3"], "--examples does not go with --now and --before"),
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
        main(["-h"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert "pyod-explain data.csv --detector ECOD --contamination 0.02 -o report.html" in out
    assert "ends with 3 if anything changed" in out
    for command in ("demo", "detectors"):
        with pytest.raises(SystemExit):
            main([command, "--help"])


def test_the_parser_knows_what_the_rooms_know():
    assert tuple(METHODS) == parser.METHODS
    assert tuple(SOLVERS) == parser.SOLVERS
    assert tuple(DIALECTS) == parser.DIALECTS


def test_the_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"pyod-explain {pyod_explain.__version__}\n"


HELP = """
import sys, time
from pyod_explain.cli.start import main
try:
    main(["--help"])
finally:
    print(time.process_time(), [name for name in ("numpy", "pandas", "sklearn", "scipy") if name in sys.modules])
"""


def test_help_takes_less_than_half_a_second_of_cpu():
    process = start_process(code=HELP)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    seconds, _, imported = out.decode().splitlines()[-1].partition(" ")
    assert imported == "[]"
    assert float(seconds) < 0.5


def test_every_flag_is_in_a_test():
    tests = "".join(path.read_text("utf-8") for path in Path(__file__).parent.rglob("test_*.py"))
    flags = [flag for action in parser.main_parser()._actions for flag in action.option_strings]
    assert len(flags) > 40
    assert [flag for flag in flags if f'"{flag}' not in tests] == []
