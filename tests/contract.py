"""`failed`: which checks of the contract something breaks."""

from pyod_explain.checks import CheckError


def failed(checks):
    """The checks that raise a CheckError; any other error is one of the checks themselves."""
    result = []
    for name, check in checks:
        try:
            check()
        except CheckError as error:
            assert "Hint: " in str(error)
            result.append(name)
    return result
