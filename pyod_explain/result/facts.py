"""`Facts`: what an explanation says, as attributes that read its summary."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pandas as pd

from pyod_explain.metrics import metrics_frame
from pyod_explain.result.checked import Placebo, Validation
from pyod_explain.result.frames import group_curve_frame
from pyod_explain.result.group import GroupExplanation, Rule
from pyod_explain.result.summary import Summary

__all__ = ["Facts"]


class Facts:
    """What an explanation says; whoever inherits has the `summary`."""

    summary: Summary

    @property
    def groups(self) -> tuple[GroupExplanation, ...]:
        """The groups, each with its rules."""
        return self.summary.groups

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of all groups."""
        return self.summary.rules

    @property
    def metrics(self) -> pd.DataFrame:
        """A row per group: FUO, FCO, FCN, AL, NT, MDL; `.attrs` has `mdl` and `mdl_empty` of all groups together."""
        return metrics_frame([group.metrics for group in self.groups], mdl=self.mdl, mdl_empty=self.mdl_empty)

    @property
    def mdl(self) -> float:
        """The paper's bits, added up over the groups; `summary.bits` are those that `gain` is about."""
        return self.summary.mdl

    @property
    def mdl_empty(self) -> float:
        """The paper's bits of naming every outlier with its group; `summary.bits_named` are those of naming them."""
        return self.summary.mdl_empty

    @property
    def gain(self) -> float:
        """Share of the bits that name the outliers one by one that the rules save; 0 or less: they explain nothing."""
        return self.summary.gain

    @property
    def n_rows(self) -> int:
        return self.summary.n_rows

    @property
    def n_normals(self) -> int:
        return self.summary.n_normals

    @property
    def n_outliers(self) -> int:
        return self.summary.n_outliers

    @property
    def n_tags(self) -> int:
        """Number of tags that the rules were chosen from."""
        return self.summary.n_tags

    @property
    def detector(self) -> str:
        """Who says which rows are outliers."""
        return self.summary.detector

    @property
    def grouping(self) -> str:
        """How the outliers were split."""
        return self.summary.grouping

    @property
    def group_curve(self) -> pd.DataFrame | None:
        """How the number of groups was chosen: for each one tried, the `bits` in which all rules name the outliers.

        None where there was nothing to choose. Files of earlier versions have other columns: bits of the descriptions
        (`mdl`), of the split, and their difference (`net`).
        """
        return group_curve_frame(self.summary)

    @property
    def unexplained(self) -> list[Hashable]:
        """Row labels of the outliers that no rule of their group covers."""
        return self.summary.unexplained

    @property
    def notes(self) -> tuple[str, ...]:
        """What else a reader should know: bounds that were reached, what was relaxed."""
        return self.summary.notes

    @property
    def validation(self) -> Validation | None:
        """How the rules do on rows not used to find them; None unless asked for."""
        return self.summary.validation

    @property
    def placebo(self) -> Placebo | None:
        """The gain that random normals in place of the outliers would show; None unless asked for."""
        return self.summary.placebo

    @property
    def timings(self) -> Mapping[str, float]:
        """Seconds per stage."""
        return self.summary.timings
