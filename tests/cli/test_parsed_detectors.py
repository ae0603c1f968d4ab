"""The detectors that PyOD's files tell of are those that PyOD lists, where it does."""

from pyod_explain.cli.detectors import list_detectors
from pyod_explain.cli.parsed_detectors import parse_detectors


def test_the_files_tell_of_the_same_detectors_as_the_list():
    parsed = {one.name: one for one in parse_detectors()}
    listed = {one.name: one for one in list_detectors()}
    assert parsed.keys() == listed.keys()
    assert {name: one.module for name, one in parsed.items()} == {name: one.module for name, one in listed.items()}
    # A package that a module needs by way of another one is not seen in its file.
    assert all(set(one.needs) <= set(listed[name].needs) for name, one in parsed.items())
    assert parsed["AutoEncoder"].needs == ("torch",)
    assert parsed["SOS"].about == "Stochastic Outlier Selection"
