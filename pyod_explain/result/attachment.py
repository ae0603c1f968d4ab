"""`Attachment`: which detector keeps an explanation, noted beside it, so that a later fit is noticed."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Mapping
from typing import Any

from pyod_explain.input import is_adengine_result
from pyod_explain.result.origin import Origin

__all__ = ["Attachment", "holder_of"]

logger = logging.getLogger("pyod_explain")


class Attachment:
    """The detector that an explanation is attached to, if any; it does not keep the detector alive."""

    def __init__(self) -> None:
        self._holder: weakref.ref[Any] | None = None

    @property
    def detector(self) -> Any:
        """The detector, or None."""
        return None if self._holder is None else self._holder()

    def attach(self, explanation: object, detector: Any) -> None:
        """Put the explanation on the detector as `explanation_`, where it can keep one."""
        holder = holder_of(detector)
        if holder is None:
            return
        try:
            holder.explanation_ = explanation
        except AttributeError:  # one with slots
            logger.info("%s cannot keep an attribute `explanation_`.", type(holder).__name__)
            return
        try:
            self._holder = weakref.ref(holder)
        except TypeError:  # one with slots, among them `explanation_` but not `__weakref__`
            self._holder = None
            logger.info("%s cannot be watched: a later fit of it goes unnoticed.", type(holder).__name__)

    def copy(self) -> Attachment:
        """Note the same detector for another explanation, which may be attached to others without changing this."""
        twin = Attachment()
        twin._holder = self._holder
        return twin

    def is_stale(self, origin: Origin | None, detector: Any = None) -> bool:
        """Tell whether a detector, by default the one attached to, marks other rows now than `origin` knows of."""
        held = self.detector if detector is None else detector
        return held is not None and origin is not None and origin.is_outdated(held)


def holder_of(detector: Any) -> Any:
    """Give the object that can keep an explanation: a detector or an ADEngine state; None for labels and the like."""
    holder = detector.get("detector") if isinstance(detector, Mapping) else detector
    return holder if hasattr(holder, "fit") or is_adengine_result(holder) else None
