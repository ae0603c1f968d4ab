"""`pyod-explain demo`: a data set that ships with scikit-learn, from detector to explanation."""

from __future__ import annotations

import argparse
import textwrap

import pandas as pd

from pyod_explain.api import explain
from pyod_explain.cli.console import Check, calm, progress
from pyod_explain.cli.detectors import make_detector
from pyod_explain.cli.encode import encode
from pyod_explain.cli.outputs import deliver
from pyod_explain.explanation import Explanation
from pyod_explain.input import as_table

__all__ = ["run_demo"]

OPENING = """\
Data: 569 breast tumours, 30 measurements of the cell nuclei of each (Breast
Cancer Wisconsin, ships with scikit-learn). The detector, PyOD's IForest, is not
told which tumours are malignant.
"""


def run_demo(options: argparse.Namespace, check: Check) -> int:
    """Explain what is unusual about tumours to a detector that is not told which are malignant.

    Parameters
    ----------
    options : the arguments.
    check : raises KeyboardInterrupt if the user has interrupted.
    """
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    if not options.quiet:
        print(OPENING)
    with progress(options, check) as step, calm(verbose=options.verbose):
        step("detector", 0.0)
        table = as_table(data.data)
        matrix = encode(table)
        detector = make_detector("IForest", {}, contamination=0.1, seed=0).fit(matrix)
        explanation = explain(
            detector,
            matrix,
            features=table,
            groups=2,
            progress=step,
        )
        if options.validate:
            explanation = explanation.validate(options.validate, progress=step)
        if options.placebo:
            explanation = explanation.control(options.placebo, progress=step)
    check()
    closing = _diagnoses(explanation, data.target == 0)
    return deliver(explanation, options, data.data, sql_table=options.sql_table or "tumours", closing=closing)


def _diagnoses(explanation: Explanation, malignant: pd.Series[bool]) -> str:
    groups = [malignant[malignant.index.isin(group.rows)] for group in explanation.groups]
    parts = [f"{one.sum()} of {len(one)} in group {k}" for k, one in enumerate(groups, start=1)]
    text = (
        "For comparison, the diagnosis, which neither the detector nor the rules saw: malignant are "
        f"{', '.join(parts)}, and {malignant.sum()} of all {len(malignant)}."
    )
    return "\n" + textwrap.fill(text, 80)
