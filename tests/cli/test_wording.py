"""What the library says in Python is said in flags."""

import pytest

from pyod_explain import PyodExplainError
from pyod_explain.cli.usage import UsageError
from pyod_explain.cli.wording import in_flags

FLAGS = ("keep", "ban", "seed", "placebo", "sample", "max_uncovered", "detector")


@pytest.mark.parametrize(
    ("python", "shell", "kind"),
    [
        ("`keep` and `ban` of explain() must differ.", "--keep and --ban must differ.", UsageError),
        ("`random_state` of explain() must be 1.", "--seed must be 1.", UsageError),
        ("`control='placebo'` needs rows.", "--placebo needs rows.", UsageError),
        ("Too much.\nHint: allow more, `sample=`.", "Too much.\nHint: allow more, --sample.", PyodExplainError),
        ("Column 'a' of `X` must be finite.", "Column 'a' must be finite.", PyodExplainError),
        ("The labels in column 'a' (`detector`) must be 0.", "The labels in column 'a' must be 0.", PyodExplainError),
        ("`unheard` must be of.", "`unheard` must be of.", PyodExplainError),
    ],
)
def test_arguments_become_flags(python, shell, kind):
    said = in_flags(PyodExplainError(python), FLAGS)
    assert (str(said), type(said)) == (shell, kind)
