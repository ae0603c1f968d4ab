"""What other packages can do with a table of outliers: the cells of the README's comparison that can be tried, tried.

    python benchmarks/features.py

Each question is put to each package that is installed; what it answers, or the error that it raises, is printed.
"""

from __future__ import annotations

import re
import warnings
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

N = 600
rng = np.random.default_rng(0)
NUMBERS = pd.DataFrame({"amount": rng.gamma(2, 40, N).round(2), "noise": rng.normal(size=N).round(2)})
WORDS = NUMBERS[["amount"]].assign(kind=rng.choice(["a", "b", "c"], N))
LARGE = (NUMBERS["amount"] > 180).astype(int).to_numpy()
GAP = rng.random(N) < 0.05
GAPS = NUMBERS.assign(noise=NUMBERS["noise"].where(~GAP))


def ours(X, y):
    from pyod_explain import explain

    return [rule.text for rule in explain(y, X).rules]


def skope_rules(X, y):
    from skrules import SkopeRules

    return SkopeRules(random_state=0, feature_names=list(X.columns)).fit(X, y).rules_


def imodels(X, y):
    from imodels import SkopeRulesClassifier

    return SkopeRulesClassifier(random_state=0).fit(X, y).rules_


def wittgenstein(X, y):
    from wittgenstein import RIPPER

    model = RIPPER(random_state=0)
    model.fit(X.assign(y=y), class_feat="y", pos_class=1)
    return model.ruleset_


def pysubgroup(X, y):
    import pysubgroup as ps

    data = X.assign(y=y)
    space = ps.create_selectors(data, ignore=["y"])
    task = ps.SubgroupDiscoveryTask(data, ps.BinaryTarget("y", 1), space, result_set_size=1, depth=2, qf=ps.WRAccQF())
    return ps.BeamSearch().execute(task).to_dataframe()["subgroup"].tolist()


def shap(X, _y):
    import shap
    from pyod.models.iforest import IForest

    detector = IForest(random_state=0).fit(X)
    return shap.Explainer(detector.decision_function, X.to_numpy()[:50])(X.to_numpy()[:1], silent=True).values


def pyod(X, _y):
    from pyod.utils.ad_engine import ADEngine

    engine = ADEngine()
    result = engine.run_detection(X.to_numpy(), engine.plan_detection(engine.profile_data(X.to_numpy())))
    return engine.explain_findings(result, top_k=1, X=X.to_numpy())[0]["narrative"]


ASKED = {
    "pyod_explain": ("pyod_explain", ours),
    "pyod": ("pyod", pyod),
    "shap": ("shap", shap),
    "skope-rules": ("skrules", skope_rules),
    "imodels": ("imodels", imodels),
    "wittgenstein": ("wittgenstein", wittgenstein),
    "pysubgroup": ("pysubgroup", pysubgroup),
}
TABLES = {"numbers": (NUMBERS, LARGE), "words": (WORDS, LARGE), "gaps are the reason": (GAPS, GAP.astype(int))}


def writes_sql(module: str) -> str:
    """Look for a word of SQL in the sources of a package."""
    folder = Path(find_spec(module).origin).parent
    found = [
        path.name
        for path in folder.rglob("*.py")
        if re.search(r"\bsql\b", path.read_text("utf-8", "ignore"), re.IGNORECASE)
    ]
    return f"in {len(found)} files" if found else "nowhere"


def answer(ask, *given) -> str:
    """Give what is answered, or the error."""
    try:
        return str(ask(*given))
    except Exception as error:  # noqa: BLE001 - whatever another package raises is its answer
        return f"{type(error).__name__}: {error}"


def main() -> None:
    warnings.simplefilter("ignore")
    for name, (module, ask) in ASKED.items():
        try:
            print(f"\n{name} {version(name)}")
        except PackageNotFoundError:
            print(f"\n{name}: not installed")
            continue
        for table, given in TABLES.items():
            print(f"  {table}: {' '.join(answer(ask, *given).split())[:110]}")
        print(f"  SQL in its sources: {answer(writes_sql, module)[:110]}")


if __name__ == "__main__":
    main()
