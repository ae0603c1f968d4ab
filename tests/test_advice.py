"""Advice is for the shell inside of a command, and nowhere else."""

import pytest

from pyod_explain._advice import advice, in_a_shell


def fail_in_a_shell(said):
    with in_a_shell():
        said.append(advice("call", "--flag"))
        with in_a_shell():
            said.append(advice("call", "--flag"))
        said.append(advice("call", "--flag"))
        raise ValueError("some error")


def test_a_command_that_fails_leaves_python_as_it_was():
    said = [advice("call", "--flag")]
    with pytest.raises(ValueError, match="some error"):
        fail_in_a_shell(said)
    said.append(advice("call", "--flag"))
    assert said == ["call", "--flag", "--flag", "--flag", "call"]
