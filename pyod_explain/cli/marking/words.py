"""Words that tell outliers from others."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["NORMAL", "outlier_word"]

OUTLIER = frozenset(
    [
        "abnormal",
        "alarm",
        "alert",
        "anomalous",
        "anomaly",
        "attack",
        "bad",
        "broken",
        "chargeback",
        "critical",
        "defect",
        "defective",
        "error",
        "fail",
        "failed",
        "failure",
        "fault",
        "faulty",
        "fraud",
        "fraudulent",
        "intrusion",
        "invalid",
        "malicious",
        "malignant",
        "malware",
        "nok",
        "outlier",
        "rejected",
        "sick",
        "spam",
        "suspicious",
        "suspect",
        "unusual",
        "wrong",
    ]
)
NORMAL = frozenset(
    [
        "accepted",
        "approved",
        "benign",
        "clean",
        "common",
        "correct",
        "expected",
        "fine",
        "genuine",
        "good",
        "ham",
        "healthy",
        "inlier",
        "legit",
        "legitimate",
        "none",
        "normal",
        "ok",
        "okay",
        "pass",
        "passed",
        "regular",
        "safe",
        "success",
        "successful",
        "typical",
        "usual",
        "valid",
    ]
)
EITHER = ({"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"}, {"positive", "negative"}, {"pos", "neg"})


def outlier_word(counts: Mapping[str, int]) -> tuple[str | None, str]:
    """Tell which of two words marks outliers, and why; None if nothing tells.

    A word for outliers beside one for others tells, and so does either beside a word that says nothing. Of yes and no
    and the like the rarer one is meant: `fraud` is rarely yes, `passed` rarely no.

    Parameters
    ----------
    counts : per word, the rows that have it.

    Examples
    --------
    >>> outlier_word({"normal": 90, "Attack": 10}), outlier_word({"yes": 95, "no": 5})
    (('Attack', 'by its meaning'), ('no', 'the rarer one'))
    >>> outlier_word({"web": 9, "app": 1})
    (None, '')
    """
    if len(counts) != 2:
        return None, ""
    one, other = counts
    for word, rest in ((one, other), (other, one)):
        bad, good = word.strip().lower() in OUTLIER, rest.strip().lower() in NORMAL
        contradicted = word.strip().lower() in NORMAL or rest.strip().lower() in OUTLIER
        if (bad or good) and not contradicted:
            return word, "by its meaning"
    if {one.strip().lower(), other.strip().lower()} in EITHER and counts[one] != counts[other]:
        return min(counts, key=lambda word: counts[word]), "the rarer one"
    return None, ""
