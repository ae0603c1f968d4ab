"""`pyod-explain demo`: a data set of scikit-learn, from detector to explanation."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from pyod_explain.cli.console import hide_output, print_note, show_progress
from pyod_explain.cli.parser import Parser, add_outputs, output_options
from pyod_explain.cli.request import Request, no_notify

OPENING = """\
Data: 569 breast tumours, 30 measurements of the cell nuclei of each (Breast
Cancer Wisconsin, ships with scikit-learn). The detector, PyOD's IForest, does
not see which tumours are malignant.
"""


def main(arguments: Sequence[str]) -> int:
    """Explain the outliers of a data set of scikit-learn; return the exit code."""
    parser = Parser("demo", description="Explain outliers in a data set that ships with scikit-learn.")
    add_outputs(parser)
    request = Request("tumours.csv", groups=2)
    options = output_options(parser.parse_args(arguments), request)
    from sklearn.datasets import load_breast_cancer

    from pyod_explain.cli.outputs import check_outputs, write_reports
    from pyod_explain.cli.run import explain_rows

    check_outputs(options)
    data = load_breast_cancer(as_frame=True)
    if not options.quiet:
        print(OPENING)
    with show_progress(quiet=options.quiet, verbose=options.verbose) as step, hide_output(verbose=options.verbose):
        explanation = explain_rows(data.data, request, step=step).explanation
    write_reports(explanation, options, no_notify if options.quiet else print_note)
    if not (options.quiet and options.outputs):
        print(explanation)
    if not options.quiet:
        malignant = data.target == 0
        groups = [malignant[malignant.index.isin(group.rows)] for group in explanation.groups]
        parts = [f"{one.sum()} of {len(one)} in group {k}" for k, one in enumerate(groups, start=1)]
        text = (
            "For comparison, the diagnosis, which neither the detector nor the rules saw: malignant are "
            f"{', '.join(parts)}, and {malignant.sum()} of all {len(malignant)}."
        )
        print("\n" + textwrap.fill(text, 80))
    return 0
