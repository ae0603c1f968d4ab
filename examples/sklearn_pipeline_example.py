"""Explain a scikit-learn pipeline in the raw columns that it takes, not in the scaled and encoded ones.

python examples/sklearn_pipeline_example.py
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pyod_explain import ExplainedDetector, OutlierExplainer, explain


def payments(n_rows: int = 2000) -> pd.DataFrame:
    """Make payments, 30 of which are large, at night and by a channel of their own."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(3, 0.6, n_rows).round(2),
            "hour": rng.integers(8, 22, n_rows),
            "channel": rng.choice(["web", "branch", "phone"], n_rows),
        }
    )
    odd = frame.index[:30]
    frame.loc[odd, "amount"] = rng.uniform(900, 2500, 30).round(2)
    frame.loc[odd, "hour"] = rng.integers(0, 5, 30)
    frame.loc[odd, "channel"] = "api"
    return frame


def main() -> None:
    """Explain a pipeline, and let one explain itself."""
    X = payments()
    detector = make_pipeline(
        make_column_transformer((OneHotEncoder(sparse_output=False), ["channel"]), remainder=StandardScaler()),
        IsolationForest(contamination=0.015, random_state=0),
    ).fit(X)
    print(explain(detector, X))

    # The same as one estimator: every fit explains itself, so the explanation is never of an earlier fit.
    model = ExplainedDetector(detector, OutlierExplainer(max_length=2))
    model.set_params(detector__isolationforest__contamination=0.01).fit(X)
    print(f"\nwith contamination 0.01: {model.explanation_!r}")


if __name__ == "__main__":
    main()
