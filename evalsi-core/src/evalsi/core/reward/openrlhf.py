"""OpenRLHF's reward contract: what it sends as a rollout, and rewards as what it reads.

Its two channels, a Python file and HTTP, carry the same three lists, so both adapters go through
here. Source: `openrlhf/utils/agent.py` and `trainer/ppo_utils/samples_generator.py`, 0.11.2.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Final, TypedDict

from evalsi.core.errors import DataError
from evalsi.core.records import Rollout
from evalsi.core.results import Reward, Score
from evalsi.core.reward.labels import row_of_label
from evalsi.core.reward.missing import total_or

__all__ = ["RESERVED", "Answer", "answer_of", "rollout_of"]

RESERVED: Final = frozenset(
    """
    reward score response_clip_ratio response_length truncated total_length return values
    kl logprobs_diff group_reward_std ppo_kl ppo_clip_ratio vllm_kl is_filter_ratio
    policy_loss entropy_loss actor_lr actor_grad_norm critic_loss critic_lr critic_grad_norm
    dynamic_filtering_pass_rate generated_samples
    """.split()  # noqa: SIM905 - a list would take a screen
)
"""Names that no component may have there: OpenRLHF logs other things under them, beside the
components; `kl` also steers its controller."""

_MARK: Final = re.compile(r"<[^<>\s]{1,64}>")
_MAX_MARK: Final = 66
_MAX_BEFORE: Final = 256
_ENDS: Final = frozenset({"</s>", "<eos>", "<pad>", "<end_of_turn>"})


class Answer(TypedDict):
    """What OpenRLHF reads: one number a rollout in every list, and always the same lists."""

    rewards: list[float]
    scores: list[float]
    extra_logs: dict[str, list[float]]


def rollout_of(
    query: str, prompt: str | None, label: object, reference_field: str | None = None
) -> Rollout:
    """The rollout that a query stands for.

    The completion is the query behind its prompt, or the whole query when the prompt is no part
    of it; texts of special tokens before the prompt and at the end are left out, as in what other
    trainers hand over, so that one spec gives one number everywhere.

    Args:
        query: prompt and response, decoded with special tokens.
        prompt: the prompt, or None.
        label: what `row_of_label` reads.
        reference_field: the spec's `referenceField`.

    Raises:
        DataError: the query begins with its prompt in other letters, as tokenizers that normalize
            text give it back: nothing says where the completion begins.
    """
    asked = {} if prompt is None else {"prompt": prompt}
    return {
        **row_of_label(label, reference_field),
        **asked,
        "completion": _completion(query, prompt),
    }


def answer_of(
    components: Sequence[str], rewards: Sequence[Reward], missing: float | None
) -> Answer:
    """Rewards as OpenRLHF takes them; NaN stands for a component that was skipped or errored.

    Raises:
        RewardError: a reward has no total, and `missing` is None.
    """
    totals = [total_or(reward, missing) for reward in rewards]
    logs = {name: [_value(reward, name) for reward in rewards] for name in components}
    return {"rewards": totals, "scores": list(totals), "extra_logs": logs}


def _completion(query: str, prompt: str | None) -> str:
    begin = _begin(query, prompt) if prompt else 0
    return query[begin : _end(query, begin)]


def _begin(query: str, prompt: str) -> int:
    """Where the prompt ends; 0 when it is no part of the query."""
    at = query.find(prompt, 0, len(prompt) + _MAX_BEFORE)
    if at >= 0 and not _MARK.sub("", query[:at]).strip():
        return at + len(prompt)
    wanted = _letters(prompt)
    if wanted and _letters(query).startswith(wanted):
        # Taken as a whole, the prompt would be judged as the model's own words.
        raise DataError(
            "a query begins with its prompt in other letters or other white space (a tokenizer "
            "that normalizes text): give the dataset's prompts as the tokenizer gives them back"
        )
    return 0


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", _MARK.sub("", text))
    return "".join(plain.casefold().split())


def _end(query: str, begin: int) -> int:
    """Where the text ends that special tokens follow, each known by its shape."""
    end = len(query)
    while (at := query.rfind("<", max(begin, end - _MAX_MARK), end)) >= 0:
        mark = query[at:end].rstrip()
        if mark not in _ENDS and not _piped(mark):
            break
        end = at
    return end


def _piped(mark: str) -> bool:
    inner = mark[1:-1]
    return (
        _MARK.fullmatch(mark) is not None
        and len(inner) > 2
        and (inner[0], inner[-1]) in {("|", "|"), ("\N{FULLWIDTH VERTICAL LINE}",) * 2}
    )


def _value(reward: Reward, name: str) -> float:
    result = reward[name].result
    return result.value if isinstance(result, Score) else math.nan
