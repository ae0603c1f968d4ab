"""Advice is for the shell inside of a command, and nowhere else."""

import pytest

from pyod_explain._advice import advice, in_a_shell


def test_a_command_that_fails_leaves_python_as_it_was():
    assert advice("call", "--flag") == "call"
    with pytest.raises(ValueError, match="some error"), in_a_shell():
        assert advice("call", "--flag") == "--flag"
        with in_a_shell():
            assert advice("call", "--flag") == "--flag"
        assert advice("call", "--flag") == "--flag"
        raise ValueError("some error")
    assert advice("call", "--flag") == "call"
