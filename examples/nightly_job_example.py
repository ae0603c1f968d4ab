"""
A nightly job with an exit code
===============================

A folder gets a parquet file each night. The job finds outliers with a detector, explains them beside what was known
the night before, writes the report, the rows and an alert in SQL, and ends with 3 only if there is a new cause. The
line of a crontab::

    0 6 * * *  cd /data/payments && python nightly_job_example.py . ; [ $? -eq 3 ] && mail ann@example.com < alert.sql
"""

# %%
# The detector is fitted on the first night, so that its threshold is the same every night. ``known`` takes the JSON of
# the night before: its rules come first, and the search explains the outliers that they leave.
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from pyod.models.knn import KNN
from sklearn.compose import make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pyod_explain import explain

NEW_CAUSE = 3  # the exit code; Python ends with 1 after an error


def fit_detector(payments: pd.DataFrame) -> Pipeline:
    """Learn what is usual."""
    words, numbers = ["bank", "kind", "app"], ["amount", "fee", "seconds", "retries", "items"]
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    encoder = make_column_transformer((one_hot, words), ("passthrough", numbers))
    return make_pipeline(encoder, StandardScaler(), KNN(contamination=0.02)).fit(payments)


def run_job(folder: Path) -> int:
    """Explain the newest night of a folder; 3 if it has a new cause, else 0."""
    nights = sorted(folder.glob("*.parquet"))
    if not nights:
        sys.exit(f"{folder} has no parquet file")
    tonight, payments = nights[-1], pd.read_parquet(nights[-1])
    outliers = fit_detector(pd.read_parquet(nights[0])).predict(payments)
    known = nights[-2].with_suffix(".json") if len(nights) > 1 else None
    explanation = explain(outliers, payments, known=known)
    explanation.to_json(tonight.with_suffix(".json"))
    explanation.to_rows().to_csv(tonight.with_suffix(".csv"))
    new = [one.rule for one in explanation.summary.changes or () if one.change == "new" and one.significant]
    if not new:
        return 0
    print(f"{tonight.stem}: {'; '.join(rule.text for rule in new)}")
    alert = explain(outliers, payments, tags=[rule.tag for rule in new], detail=0)
    (folder / "alert.sql").write_text(alert.to_sql("payments", dialect="duckdb"), "utf-8")
    return NEW_CAUSE


if len(sys.argv) > 1:
    sys.exit(run_job(Path(sys.argv[1])))

# %%
# Without a folder, nights are generated. Each has slow wallets, which are known, and large amounts, which are nothing
# special. Some have thirty payments with a trouble of their own: words, and ranges of numbers.
TROUBLES = [
    {"bank": "north", "retries": (8, 12)},
    {"bank": "abroad", "fee": (5, 8)},
    {"kind": "card", "amount": (1500, 4000)},
    {"app": "1.8", "items": (20, 40)},
    {"bank": "south", "amount": (-300, -100)},
    {"app": "2.1", "seconds": (0, 1), "retries": (4, 6)},
    {"bank": "west", "fee": (-5, -2)},
    {"bank": "east", "seconds": (80, 120)},
    {"kind": "voucher", "items": (8, 9)},
    {"kind": "transfer", "fee": (9, 15)},
]


def make_night(seed: int, trouble: dict | None = None) -> pd.DataFrame:
    """Two thousand payments."""
    rng = np.random.default_rng(seed)
    n = 2000
    payments = pd.DataFrame(
        {
            "bank": rng.choice(["north", "south", "east", "west"], n),
            "kind": rng.choice(["card", "transfer", "wallet"], n),
            "app": rng.choice(["1.8", "1.9", "2.0"], n),
            "amount": rng.gamma(4, 20, n).round(2),
            "fee": rng.uniform(1, 3, n).round(2),
            "seconds": rng.gamma(6, 1.5, n).round(1),
            "retries": rng.integers(0, 3, n),
            "items": rng.integers(1, 7, n),
        }
    )
    rows = rng.choice(n, 45, replace=False)
    for some, cause in ((rows[:15], {"kind": "wallet", "seconds": (40, 60)}), (rows[15:], trouble or {})):
        for name, value in cause.items():
            payments.loc[some, name] = (
                value if isinstance(value, str) else rng.integers(*value, len(some), endpoint=True)
            )
    return payments


folder = Path(tempfile.mkdtemp())


def receive(day: str, trouble: dict | None = None) -> None:
    """Write the file of a night, and run the job."""
    make_night(int(day[-2:]), trouble).to_parquet(folder / f"{day}.parquet")
    print(day, "ends with", run_job(folder))


receive("2026-03-02")
receive("2026-03-03")
receive("2026-03-04", TROUBLES[0])
print((folder / "alert.sql").read_text("utf-8"))

# %%
# Somebody looks after it, and says so in the report. A marked cause stays known on nights without it.
report = folder / "2026-03-04.json"
explained = json.loads(report.read_text("utf-8"))
explained["groups"][0]["rules"][0] |= {"owner": "Ann", "note": "gateway, ticket 12", "expires": "2026-12-31"}
report.write_text(json.dumps(explained), "utf-8")

receive("2026-03-05")
receive("2026-03-06", TROUBLES[0])
receive("2026-03-07", TROUBLES[1])
