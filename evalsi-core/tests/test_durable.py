"""Journals survive a kill; published files appear whole."""

import os
import stat

import pytest

from evalsi.core.durable import Journal, publish
from evalsi.core.errors import DataError


def test_a_journal_goes_on_behind_its_lines(tmp_path):
    path = tmp_path / "j"
    with Journal(path) as journal:
        journal.append(b"one")
    with Journal(path, resume=True) as journal:
        assert list(journal.lines()) == [b"one\n"]
        journal.append(b"two")
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("rest", [b"half", b"x" * 200_000], ids=["short", "long"])
def test_what_a_kill_left_of_a_line_is_cut(tmp_path, rest):
    path = tmp_path / "j"
    path.write_bytes(b"one\ntwo\n" + rest)
    with Journal(path, resume=True) as journal:
        assert list(journal.lines()) == [b"one\n", b"two\n"]


def test_a_file_with_one_broken_line_becomes_empty(tmp_path):
    path = tmp_path / "j"
    path.write_bytes(b"half")
    Journal(path, resume=True).close()
    assert path.read_bytes() == b""


def test_a_journal_that_has_lines_is_not_overwritten(tmp_path):
    path = tmp_path / "j"
    path.write_bytes(b"one\n")
    with pytest.raises(DataError, match="--resume"):
        Journal(path)
    assert path.read_bytes() == b"one\n"


def test_two_writers_of_one_journal_are_refused(tmp_path):
    with Journal(tmp_path / "j"), pytest.raises(DataError, match="another process"):
        Journal(tmp_path / "j", resume=True)


def test_a_published_file_has_the_mode_that_the_umask_gives(tmp_path):
    old = os.umask(0o027)
    try:
        publish(tmp_path / "p", "text")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "p").stat().st_mode) == 0o640
    assert (tmp_path / "p").read_text() == "text"


def test_a_publish_that_fails_leaves_the_old_file_alone(tmp_path):
    publish(tmp_path / "p", "old")
    with pytest.raises(UnicodeEncodeError):
        publish(tmp_path / "p", "\ud800")
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("p", "old")]
