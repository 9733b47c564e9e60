"""Which release of a trainer settings are written for: the installed one, or one that is named.

Settings move between releases, and a trainer may ignore the old ones in silence. So only releases
whose sources were read are known; any other one is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Generic, NamedTuple, TypeVar

import click

from evalsi.rewards.trainer import installed

__all__ = ["Since", "style_of"]

T = TypeVar("T")

_RELEASE: Final = re.compile(r"(\d+(?:\.\d+)*)(?:\.?post\d+)?(?:\+[\w.]+)?")


class Since(NamedTuple, Generic[T]):
    """What holds from a release on."""

    release: str
    style: T


def style_of(
    distribution: str, asked: str | None, known: Sequence[Since[T]], newest: str
) -> tuple[str, T]:
    """A release, and the style of settings that it understands.

    Args:
        distribution: the trainer's.
        asked: the release, or None for the installed one.
        known: the styles, oldest first.
        newest: the last release whose sources were read.

    Raises:
        click.UsageError: it is not known, or there is none; with what to do.
    """
    found = asked or installed(distribution)
    if found is None:
        raise click.UsageError(
            f"{distribution} is not installed here: run this where it is, or name the release: "
            f"--version {newest}"
        )
    oldest = known[0].release
    parts = _parts(found)
    if parts is None or not (_parts(oldest) or ()) <= parts <= (_parts(newest) or ()):
        raise click.UsageError(
            f"{distribution} {found} is not known here ({oldest} to {newest} are), and a setting "
            f"that has moved would be ignored in silence. Compare its documentation with "
            f"`--version {newest}`, or install a known release"
        )
    return found, [style for release, style in known if (_parts(release) or ()) <= parts][-1]


def _parts(release: str) -> tuple[int, ...] | None:
    """The numbers of a release, without the zeros that end it; None for anything that is none."""
    match = _RELEASE.fullmatch(release)
    if match is None:
        return None
    numbers = [int(number) for number in match[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
