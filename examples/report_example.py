"""One explanation, every way to look at it: text, page, Markdown, JSON, SQL, plots, single rows, and last week's.

Run it with `python examples/report_example.py [folder]`; files go to the folder, or to a temporary one.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from pyod.models.iforest import IForest

import pyod_explain as pe


def payments(seed: int) -> pd.DataFrame:
    """Two thousand payments, with two kinds of trouble among them."""
    random = np.random.default_rng(seed)
    n = 2000
    table = pd.DataFrame(
        {
            "amount": random.gamma(2.0, 40.0, n).round(2),
            "items": random.integers(1, 9, n),
            "days_as_customer": random.integers(30, 3000, n),
            "failed_logins": random.poisson(0.2, n),
            "channel": random.choice(["web", "shop", "phone"], n, p=[0.6, 0.3, 0.1]),
        },
        index=pd.Index([f"payment {i}" for i in range(n)], name="payment"),
    )
    stolen = random.choice(n, 80, replace=False)
    table.iloc[stolen[:40], table.columns.get_indexer(["amount", "days_as_customer"])] = np.column_stack(
        [random.uniform(600, 2000, 40).round(2), random.integers(0, 5, 40)]
    )
    table.iloc[stolen[40:], table.columns.get_loc("failed_logins")] = random.integers(8, 20, 40)
    return table


def explain(table: pd.DataFrame) -> pe.Explanation:
    """Detect on the numbers, explain with all columns, and check the rules on held-out rows and by a placebo."""
    numbers = table.drop(columns="channel").to_numpy()
    detector = IForest(contamination=0.04, random_state=0).fit(numbers)
    return pe.explain(detector, numbers, features=table, validate=5, control="placebo", n_draws=3)


def main() -> None:
    """Show every view."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
    explanation = explain(payments(seed=1))
    print(explanation)

    explanation.to_html(folder / "report.html")
    explanation.to_markdown(folder / "report.md")
    explanation.to_json(folder / "explanation.json")
    (folder / "rules.sql").write_text(explanation.to_sql("payments", dialect="postgres"), encoding="utf-8")
    for kind in ("coverage", "groups", "tradeoff", "pairs"):
        drawn = explanation.plot(kind)
        figure = drawn if kind == "pairs" else drawn.figure
        figure.savefig(folder / f"{kind}.png", dpi=120)

    label = explanation.groups[0].rows[0]
    print(f"\n{explanation.for_row(label)}")
    print(f"\n{explanation.counterfactual(label)}")

    print("\nSince last week:")
    print(explain(payments(seed=0)).compare(explanation))
    print(f"\nThe files are in {folder}.")


if __name__ == "__main__":
    main()
