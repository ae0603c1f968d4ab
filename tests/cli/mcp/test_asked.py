import shlex

import pytest

from pyod_explain.cli.mcp.asked import ARGUMENTS, LISTS, SCALARS, command_of, in_arguments, options_of
from pyod_explain.cli.parser import main_parser, parse
from pyod_explain.cli.usage import UsageError

GIVEN = {
    "labels": "-status != ok",
    "index": "--help",
    "groups": 3,
    "drop": ["-o", "b"],
    "only": ["c"],
    "validate": 0,
    "sep": ";",
}


def test_every_argument_is_a_flag_of_the_command():
    known = vars(main_parser().parse_args([]))
    assert {*SCALARS, *LISTS} <= set(known)


def test_a_value_that_looks_like_a_flag_is_a_value():
    options = options_of(GIVEN, "-o")
    assert (options.data, options.labels, options.index, options.drop) == (
        "-o",
        "-status != ok",
        "--help",
        [["-o", "b"]],
    )
    assert options.output == []
    assert options.groups == 3


def test_the_command_that_is_shown_asks_for_the_same():
    words = shlex.split(command_of(GIVEN, "-x.csv"))
    _, shown, _ = parse(words[1:])
    assert {**vars(shown), "data": "-x.csv"} == vars(options_of(GIVEN, "-x.csv"))
    assert shown.data == "./-x.csv"


def test_detector_parameters_keep_their_types():
    params = {"n_neighbors": 20, "method": "mean", "p": 1.5, "flag": True, "tricky": "a=b'c", "number": "7"}
    options = options_of({"detector": "KNN", "param": params}, "x.csv")
    assert dict(options.param) == params
    _, shown, _ = parse(shlex.split(command_of({"param": params}, "x.csv"))[1:])
    assert dict(shown.param) == params


@pytest.mark.parametrize("arguments", [{"rows": [1]}, {"drop": ["a,b"]}, {"only": [" a"]}])
def test_where_no_command_does_the_same_none_is_shown(arguments):
    assert command_of(arguments, "x.csv") == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"contamination": 2}, "`contamination` must be a share from 0 to 1"),
        ({"labels": "y", "detector": "KNN"}, "`labels` says which rows are outliers: leave out `detector`"),
        ({"outlier_values": ["a"]}, "`outlier_values` says which values of `labels` are outliers"),
        ({"validate": 1}, "`validate` must be 0, or at least 2 parts"),
        ({"sep": "ab"}, "`sep` must be one character"),
    ],
)
def test_a_mistake_is_told_in_the_words_of_the_call(arguments, said, capsys):
    with pytest.raises(UsageError) as caught:
        options_of(arguments, "x.csv")
    assert in_arguments(str(caught.value)).startswith(said)
    assert capsys.readouterr() == ("", "")


def test_the_tools_have_the_arguments_that_errors_name():
    tools = pytest.importorskip("pyod_explain.cli.mcp.arguments", reason="needs the package mcp")
    named = {field.alias or name for model in (tools.How, tools.Who) for name, field in model.model_fields.items()}
    assert named - {"rows"} == set(ARGUMENTS.values())
