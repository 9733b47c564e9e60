"""A row of verl as a rollout: what parquet files hold and its reward loop adds, as plain data."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from evalsi.core.errors import DataError
from evalsi.core.records import REFERENCE_FIELDS, Rollout
from evalsi.core.results import JSON
from evalsi.core.reward.columns import field_of_cell
from evalsi.core.reward.labels import row_of_label
from evalsi.rewards.plain import NotPlain, plain

__all__ = ["rollout_of"]

_log: Final = logging.getLogger("evalsi.rewards")
_told: Final[set[str]] = set()

# What verl itself puts into extra_info, and what cannot speak of the completion that is scored: a
# count of tokens in a dataset's row is another text's.
_LEFT_OUT: Final = """
completion completion_ids completion_tokens experiment_name reward_model_tokenizer
reward_router_address rollout_reward_scores tool_extra_fields
""".split()  # noqa: SIM905 - a list would take a screen
_PROMPTS: Final = ("prompt", "input", "question")


def rollout_of(
    data_source: object,
    solution: str,
    ground_truth: object,
    extra_info: Mapping[str, Any] | None,
    *,
    reference_field: str | None = None,
) -> Rollout:
    """The rollout of one row.

    The ground truth is the reference, unless `reference_field` names a field of `extra_info`.
    What is null is left out, as a table with other fields in other rows fills them, and text that
    is a JSON object is read, the reference and the prompt apart.

    Raises:
        DataError: the ground truth is no plain data, or `extra_info` no mapping.
    """
    if not isinstance(extra_info, Mapping | None):
        raise DataError(f"extra_info is {type(extra_info).__name__}; it must be a mapping")
    info = dict(_fields(extra_info or {}, {*_PROMPTS, *REFERENCE_FIELDS, reference_field}))
    try:
        label, source = plain(ground_truth), plain(data_source)
    except NotPlain as error:
        raise DataError(
            f"ground_truth or data_source holds {error}; they must be plain data"
        ) from error
    row = row_of_label(label, reference_field)
    if row and reference_field is None and REFERENCE_FIELDS[0] not in row:
        # Its own reference has another name, which must not lose to one of extra_info.
        info = {name: value for name, value in info.items() if name not in REFERENCE_FIELDS}
    both = {**row, **info} if reference_field in info else {**info, **row}
    named = {"id": info["index"]} if "index" in info else {}
    return {**named, **both, **_prompt(info), "data_source": source, "completion": solution}


def _prompt(info: Mapping[str, JSON]) -> dict[str, JSON]:
    """The prompt as verl's own examples name it, where the fields of a rollout hold none."""
    if "question" in info and not info.keys() & {"prompt", "input"}:
        return {"prompt": info["question"]}
    return {}


def _fields(
    extra_info: Mapping[str, Any], texts: Collection[str | None]
) -> Iterator[tuple[str, JSON]]:
    for name, value in extra_info.items():
        if value is None or name in _LEFT_OUT:
            continue
        try:
            held = plain(value)
        except NotPlain as error:
            _tell(str(name), str(error))
            continue
        yield str(name), held if name in texts else field_of_cell(held)


def _tell(name: str, kind: str) -> None:
    if name not in _told:
        _told.add(name)
        _log.warning("extra_info.%s holds %s: it is not handed to evaluators", name, kind)
