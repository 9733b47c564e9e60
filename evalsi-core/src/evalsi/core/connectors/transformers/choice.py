"""How each row of a batch gets its tokens: its own luck, its own end, and a watch for nonsense."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalsi.core.connectors.transformers.endings import Endings
    from evalsi.core.connectors.transformers.params import Settled

__all__ = ["Choice"]


class Choice:
    """The parts of `generate` that are ours.

    Args:
        params: temperature, top_p and device.
        seeds: one for each row.
        endings: is given every token.
    """

    def __init__(self, params: Settled, seeds: Sequence[int], endings: Endings) -> None:
        import torch

        self._params = params
        self._endings = endings
        self._generators = [torch.Generator(params.device).manual_seed(seed) for seed in seeds]
        self._ended = torch.zeros(len(seeds), dtype=torch.bool, device=params.device)
        self._broken = self._ended.clone()

    @property
    def processors(self) -> Any:
        """What the scores of the next token go through; the largest of the last is chosen."""
        from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopPLogitsWarper

        chain: list[Callable[..., Any]] = [self._watched]
        if self._params.temperature > 0:
            chain.append(TemperatureLogitsWarper(self._params.temperature))
            if self._params.top_p < 1:
                chain.append(TopPLogitsWarper(self._params.top_p))
            chain.append(self._drawn)
        return LogitsProcessorList(chain)

    @property
    def criteria(self) -> Any:
        """What says which rows have ended."""
        from transformers import StoppingCriteriaList

        return StoppingCriteriaList([self._taken])

    @property
    def broken(self) -> list[bool]:
        """The rows with a token that was chosen from scores that are no numbers."""
        found: list[bool] = self._broken.tolist()
        return found

    def _watched(self, ids: Any, scores: Any) -> Any:
        del ids
        self._broken |= scores.isnan().any(dim=-1) & ~self._ended
        return scores

    def _drawn(self, ids: Any, scores: Any) -> Any:
        # The largest of score minus the logarithm of an exponential variate is a draw from the
        # softmax (Gumbel's trick), and here the variates are the row's own, whoever is beside it.
        del ids
        import torch

        chances = torch.empty_like(scores)
        for row, generator in zip(chances, self._generators, strict=True):
            row.exponential_(generator=generator)
        return scores - chances.clamp_min_(torch.finfo(scores.dtype).tiny).log_()

    def _taken(self, ids: Any, scores: Any, **_: Any) -> Any:
        del scores
        import torch

        ended = self._endings.take(ids[:, -1].tolist())
        self._ended = torch.tensor(ended, device=self._params.device)
        return self._ended
