"""Explain what a PyOD detector marks: rules per group, single rows, new rows.

python examples/pyod_example.py
"""

from __future__ import annotations

from pyod.models.iforest import IForest

from pyod_explain import explain
from pyod_explain.datasets import make_planted


def main() -> None:
    """Fit, explain, and ask about rows."""
    planted = make_planted(random_state=0)
    numeric = planted.X.select_dtypes("number").fillna(0.0)

    clf = IForest(contamination=0.05, random_state=0)
    clf.fit(numeric.to_numpy())

    # Detected on the numbers, explained with all columns: text and missing cells are welcome.
    explanation = explain(clf, numeric, features=planted.X)
    print(explanation)

    # The same object is kept on the detector, and says so when the detector was fitted again.
    print(f"\nkept on the detector: {clf.explanation_!r}")

    # One row: why it is an outlier, with its own values.
    print("\n" + str(explanation.for_row(explanation.groups[0].rows[0])))

    # New rows: which group's description they match, 0 for none.
    print("\nfirst rows belong to groups", explanation.predict(planted.X.head(10)).tolist())


if __name__ == "__main__":
    main()
