"""Fixtures of pytest that mean something in the program's own interpreter alone."""

from __future__ import annotations

import contextlib
import logging
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest import pytest_fixtures

if TYPE_CHECKING:
    from collections.abc import Iterator


class Records(logging.Handler):
    """What was logged."""

    def __init__(self) -> None:
        super().__init__(0)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a record."""
        self.records.append(record)

    @property
    def messages(self) -> list[str]:
        """The texts of the records."""
        return [record.getMessage() for record in self.records]

    @property
    def text(self) -> str:
        """All of them, a line each."""
        lines = (f"{each.levelname} {each.name}:{each.getMessage()}\n" for each in self.records)
        return "".join(lines)

    def clear(self) -> None:
        """Forgets them."""
        self.records.clear()

    def set_level(self, level: Any, logger: str | None = None) -> None:
        """What is kept from now on."""
        logging.getLogger(logger).setLevel(level)

    @contextlib.contextmanager
    def at_level(self, level: Any, logger: str | None = None) -> Iterator[None]:
        """What is kept in a block."""
        log = logging.getLogger(logger)
        old = log.level
        log.setLevel(level)
        try:
            yield
        finally:
            log.setLevel(old)


@contextlib.contextmanager
def _caplog() -> Iterator[Records]:
    records = Records()
    logging.getLogger().addHandler(records)
    try:
        yield records
    finally:
        logging.getLogger().removeHandler(records)


@contextlib.contextmanager
def _tmp_path() -> Iterator[pathlib.Path]:
    yield pathlib.Path(tempfile.mkdtemp())


pytest_fixtures.BUILT_IN.update(caplog=_caplog, tmp_path=_tmp_path)
