"""How similar texts of one length are among each other: the mean BLEU of their pairs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from evalsi_pack_general.pairings import pairings

__all__ = ["lacking", "self_bleu"]

_OPPONENTS: Final = 64  # all of a usual group; a large one would take quadratic time


def lacking() -> str:
    """What to install where sacrebleu is not there, else an empty text."""
    try:
        import sacrebleu  # noqa: F401
    except ImportError:
        return "self-BLEU needs sacrebleu: pip install 'evalsi-pack-general[diversity]'"
    return ""


def self_bleu(texts: Sequence[Sequence[str]]) -> float:
    """The mean BLEU, in [0, 1], of every two texts; 1 when all are the same.

    Of more than 65 texts each meets the 64 next to it in a ring. The texts are words, and equally
    many: BLEU is then the same whichever of two is the reference, and its penalty for brevity does
    not come in. Smoothed (Chen and Cherry 2014, method 3).

    Source: Zhu et al. 2018, Texygen, section 3; with one reference at a time.
    """
    import sacrebleu

    metric = sacrebleu.BLEU(tokenize="none", force=True, effective_order=True)
    lines = [" ".join(text) for text in texts]
    pairs = pairings(len(lines), _OPPONENTS)
    scores = (metric.sentence_score(lines[one], [lines[other]]).score for one, other in pairs)
    return fmean(score / 100 for score in scores)
