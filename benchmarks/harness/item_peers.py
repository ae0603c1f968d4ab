"""The peers of `peers.py` and `paper.py`: which settings of the learners on items are tried."""

from __future__ import annotations

from dataclasses import replace

from harness import item_learners
from harness.contest import Peer, grid

PEERS = {
    "tree": Peer(
        item_learners.tree,
        "scikit-learn",
        ("sklearn",),
        grid(ratio=[1, 4, 16], depth=[2, 3, 5, 8], leaf=[5, 50]),
        all_rows=True,
    ),
    "RIPPER": Peer(
        item_learners.ripper,
        "wittgenstein",
        ("wittgenstein",),
        grid(items=[60], ratio=[1, 4, 16], k=[2], max_conds=[None, 3]),
    ),
    "CORELS": Peer(
        item_learners.corels,
        "corels",
        ("corels",),
        grid(items=[40], max_card=[2, 3], ratio=[1, 4, 16], c=[0.01, 0.003, 0.03]),
        lists=True,
    ),
    "BRS": Peer(item_learners.brs, "imodels", ("imodels",), grid(items=[40], ratio=[1, 4], maxlen=[2, 3]), patience=4),
    "BRL": Peer(
        item_learners.brl,
        "imodels",
        ("imodels",),
        grid(items=[40], ratio=[1, 4], minsupport=[0.1, 0.05]),
        lists=True,
        patience=4,
    ),
    "Skope": Peer(
        item_learners.skope,
        "imodels",
        ("imodels",),
        grid(ratio=[1, 4, 16], precision_min=[0.5, 0.2], n_estimators=[10, 50]),
        ranks=True,
    ),
    "BRCG": Peer(
        item_learners.brcg,
        "aix360",
        ("aix360", "cvxpy"),
        grid(items=[60], ratio=[1, 4], penalty=[0.001, 0.01]),
        patience=2,
    ),
    "sliceline": Peer(
        item_learners.sliceline,
        "sliceline",
        ("sliceline",),
        grid(items=[60], ratio=[1, 4, 16], alpha=[0.6, 0.95]),
        ranks=True,
    ),
    "pysubgroup": Peer(
        item_learners.pysubgroup,
        "pysubgroup",
        ("pysubgroup",),
        grid(items=[60], ratio=[4, 16], a=[0.5, 1.0]),
        ranks=True,
    ),
}
ON_READMISSION = {"BRL": {"items": 15, "opposites": True}, "sliceline": {"items": 30}}  # settings for the largest table


def on_table(name: str, peer: Peer, table: str) -> Peer:
    """Give a peer as it is tried on this table."""
    own = ON_READMISSION.get(name, {}) if table == "readmission" else {}
    return replace(peer, settings=[one | own for one in peer.settings])
