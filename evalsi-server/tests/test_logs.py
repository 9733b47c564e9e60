"""The log: each failure once, and no line of it a client's."""

import logging

import pytest

from evalsi_server.logs import LOG, Repeats, shown


@pytest.fixture
def told(caplog, monkeypatch):
    monkeypatch.setattr(LOG, "propagate", True)
    with caplog.at_level(logging.WARNING, "evalsi.server"):
        yield lambda: [record.getMessage() for record in caplog.records]


def test_a_failure_is_told_once_and_others_too(told):
    repeats = Repeats()
    for why in ("a", "b", "a", "a"):
        repeats.warn("POST /get_reward", why)
    assert told() == ["POST /get_reward: a", "POST /get_reward: b"]


def test_after_a_minute_it_is_told_again_with_what_was_held_back(told, monkeypatch):
    repeats, now = Repeats(), [0.0]
    monkeypatch.setattr("evalsi_server.logs.time.monotonic", lambda: now[0])
    repeats.warn("GET /", "a")
    repeats.warn("GET /", "a")
    now[0] = 61.0
    repeats.warn("GET /", "a")
    held = "failures like those above, not told one by one: 1"
    assert told() == ["GET /: a", held, "GET /: a"]


def test_however_many_failures_there_are_a_minute_has_a_hundred_lines(told):
    repeats = Repeats()
    for number in range(500):
        repeats.warn("GET /", str(number))
    assert len(told()) == 100


def test_what_a_client_says_begins_no_line_and_moves_no_cursor():
    assert shown("one\ntwo\x1b[2J\r") == "one\n    two\\x1b[2J\\r"


def test_what_a_client_says_is_cut():
    assert len(shown("x" * 10_000)) < 2100
