"""How good a heatmap and an image's score are: the figures that the evaluation prints."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

EDITED, CLEAN = 0.6, 0.05
"""Shares of changed pixels: a block with more counts as edited, one with less as clean, any other as neither."""
BLOCK = 8


def block_labels(mask: npt.NDArray[np.uint8]) -> npt.NDArray[np.int8]:
    """The 8 px blocks of a mask (0: as it was): 1 edited, 0 clean, -1 neither. Pixels that fill no block are left
    out."""
    rows, columns = mask.shape[0] // BLOCK, mask.shape[1] // BLOCK
    cut = (mask[: rows * BLOCK, : columns * BLOCK] > 127).reshape(rows, BLOCK, columns, BLOCK)
    share = cut.mean(axis=(1, 3))
    return np.where(share > EDITED, 1, np.where(share < CLEAN, 0, -1)).astype(np.int8)


def auc(scores: npt.NDArray[np.floating], labels: npt.NDArray[np.integer]) -> float:
    """Area under the ROC curve: the chance that a positive scores above a negative, ties counting half. Labels other
    than 0 and 1 are left out; NaN where one of the two is missing."""
    positive, negative = np.sort(scores[labels == 1]), np.sort(scores[labels == 0])
    if not len(positive) or not len(negative):
        return float("nan")
    below = np.searchsorted(negative, positive, "left") + np.searchsorted(negative, positive, "right")
    return float(below.sum() / (2 * len(positive) * len(negative)))


def f1_at(scores: npt.NDArray[np.floating], labels: npt.NDArray[np.integer], threshold: float) -> float:
    """F1 of ``scores >= threshold`` over the labels 0 and 1; 0 where nothing is found."""
    found = scores >= threshold
    right = float((found & (labels == 1)).sum())
    return 2 * right / max(1.0, float((found & (labels >= 0)).sum() + (labels == 1).sum()))


def oracle_f1(scores: npt.NDArray[np.floating], labels: npt.NDArray[np.integer]) -> float:
    """The best F1 of any threshold, chosen with the labels in hand; 0 without a positive."""
    known = labels >= 0
    order = np.argsort(-scores[known], kind="stable")
    ranked, right = scores[known][order], np.cumsum(labels[known][order] == 1)
    if not len(ranked) or not right[-1]:
        return 0.0
    # A threshold takes all equal scores or none.
    ends = np.append(ranked[1:] != ranked[:-1], True)
    return float((2 * right / (np.arange(1, len(right) + 1) + right[-1]))[ends].max())
