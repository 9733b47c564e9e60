"""The test cases that a rollout carries, in each of the shapes that datasets use.

Pairs and columns of input and output, calls of a function, and Python that asserts. A shape that
cannot be read is an error of the data that names the field; no case at all is none.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.code_exec.cases_asserts import entry_point, listed, script
from evalsi_pack_rl.code_exec.cases_calls import agreed, function_name
from evalsi_pack_rl.code_exec.cases_encoded import unpacked
from evalsi_pack_rl.code_exec.cases_kinds import AssertCase, CallCase, Case, PairCase
from evalsi_pack_rl.code_exec.cases_pairs import columns, pairs
from evalsi_pack_rl.code_exec.cases_reading import as_mapping, parsed

if TYPE_CHECKING:
    from evalsi.core.results import JSON

__all__ = [
    "FIELDS",
    "AssertCase",
    "CallCase",
    "Case",
    "PairCase",
    "cases_of",
    "chosen",
    "entry_point",
]

_PAIRS: Final = (
    "tests",
    "input_output",
    "public_tests",
    "private_tests",
    "generated_tests",
    "public_test_cases",
    "private_test_cases",
)

_LIVE: Final = ("public_test_cases", "private_test_cases")

FIELDS: Final = (
    *_PAIRS,
    "inputs",
    "outputs",
    "fn_name",
    "metadata",
    "test_list",
    "test_setup_code",
    "test_imports",
    "test",
    "entry_point",
)
"""The metadata that `cases_of` reads."""


def cases_of(metadata: Mapping[str, JSON]) -> list[Case]:
    """Every case of a rollout.

    Raises:
        DataError: a field cannot be read; the message names it.
    """
    function = _function(metadata)
    cases: list[Case] = []
    for field in _PAIRS:
        cases += pairs(_pairs(metadata.get(field), field), field, function)
    cases += columns(metadata.get("inputs"), metadata.get("outputs"), "", function)
    cases += listed(metadata)
    cases += script(metadata)
    return agreed(cases)


def chosen(cases: Sequence[Case], most: int | None, seed: int) -> list[Case]:
    """At most so many of the cases, in their order; the same ones whatever the program is."""
    if most is None or len(cases) <= most:
        return list(cases)
    kept = random.Random(seed).sample(range(len(cases)), most)  # noqa: S311 - no secret
    return [cases[index] for index in sorted(kept)]


def _pairs(value: JSON, field: str) -> JSON:
    if value is None or value == "":
        return None
    return unpacked(value, field)


def _function(metadata: Mapping[str, JSON]) -> str | None:
    """The function that calls name: `fn_name`, or LiveCodeBench's `func_name` in `metadata`."""
    name = function_name(metadata.get("fn_name"), "fn_name")
    if name is not None or all(metadata.get(field) is None for field in _LIVE):
        return name
    about = parsed(metadata.get("metadata") or {}, "metadata")
    return function_name(
        as_mapping(about, "metadata", "names").get("func_name"), "metadata.func_name"
    )
