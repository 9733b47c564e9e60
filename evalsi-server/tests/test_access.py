"""Who may ask: loopback by default, a token elsewhere, and no trace of it anywhere."""

from pathlib import Path

import pytest
from server_kit import Running

from evalsi_server.access import Token
from evalsi_server.address import is_loopback

SECRET = "a-long-enough.secret_0123"
BEARER = {"authorization": f"Bearer {SECRET}"}


@pytest.fixture(scope="module")
def guarded(writing):
    options = ("--token-env", "REWARD_TOKEN", "--access-log")
    with Running(writing("says", "says"), *options, REWARD_TOKEN=SECRET) as server:
        yield server


@pytest.fixture(scope="module")
def open_to_all(writing):
    with Running(writing("says", "says"), "--access-log") as server:
        yield server


def test_the_token_may_stand_in_the_path_or_in_a_header(guarded):
    assert guarded.ask("2", path=f"/t/{SECRET}/get_reward").body["rewards"] == [2.0]
    assert guarded.ask("2", headers=BEARER).body["rewards"] == [2.0]
    assert guarded.score("2", headers=BEARER).status == 200
    assert guarded.get("/metrics", BEARER).status == 200


@pytest.mark.parametrize("path", ["/get_reward", "/v1alpha1/rewards:score", "/metrics", "/other"])
def test_without_the_token_there_is_nothing(guarded, path):
    for prefix in ("", "/t/another-secret-of-that-length", f"/t/{SECRET}x", "/t/"):
        answer = guarded.post(f"{prefix}{path}", {})
        assert (answer.status, answer.error["kind"]) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "value", [f"Basic {SECRET}", SECRET, "Bearer", "Bearer \xff", f"Bearer {SECRET[:-1]}"]
)
def test_a_header_that_is_not_the_token_is_refused(guarded, value):
    assert guarded.ask("2", headers={"authorization": value}).status == 401


def test_health_needs_no_token(guarded):
    assert guarded.get("/healthz").status == 200
    assert guarded.get("/readyz").status == 200


def test_the_token_is_in_no_log_and_in_no_other_processs_environment(written):
    spec = written("sleeps", "sleeps")
    options = ("--token-env", "REWARD_TOKEN", "--access-log")
    with Running(spec, *options, REWARD_TOKEN=SECRET) as server:
        for path in ("/get_reward", "/nowhere", "/get_reward/other"):
            server.ask("0", path=f"/t/{SECRET}{path}")
        for place in (f"//t/{SECRET}/get_reward", f"/rewards/t/{SECRET}", f"/metrics?t={SECRET}"):
            assert server.ask("0", path=place).status == 401
            assert server.ask("0", path=place, headers=BEARER).status in {404, 405}
        [keeper] = (
            Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
            .read_text("ascii")
            .split()
        )
        assert SECRET.encode() not in Path(f"/proc/{keeper}/environ").read_bytes()
    assert "POST /get_reward 200" in server.log
    assert SECRET not in server.log


def test_a_path_with_a_token_is_answered_where_none_is_needed_and_not_logged(open_to_all):
    assert open_to_all.ask("2", path=f"/t/{SECRET}/get_reward").status == 200
    assert SECRET not in open_to_all.log


def test_a_web_page_is_refused(open_to_all):
    answer = open_to_all.ask("2", headers={"origin": "http://localhost"})
    assert (answer.status, answer.error["kind"]) == (403, "forbidden")


def test_a_host_that_is_none_changes_nothing(open_to_all):
    for host in ("[", "a b", "", "x" * 3000):
        assert open_to_all.ask("2", path="/nowhere", headers={"host": host}).status == 404
        assert open_to_all.ask("2", headers={"host": host}).status == 200


def test_no_line_of_the_log_is_a_clients(open_to_all):
    open_to_all.ask("2", path="/get_reward/x%0A2026-01-01%20forged%1b")
    open_to_all.ask("2")
    assert open_to_all.logged("POST /get_reward 200")
    assert "\x1b" not in open_to_all.log
    assert not any(line.startswith("2026-01-01") for line in open_to_all.lines)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_is_known(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_what_others_reach_is_known(host):
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "secret", ["", "short", "a" * 257, "with a space 0123456", "slash/0123456789"]
)
def test_a_token_that_a_path_cannot_hold_or_that_is_guessed_is_refused_unseen(secret):
    with pytest.raises(ValueError, match="16 to 256") as caught:
        Token(secret)
    assert not secret or secret not in str(caught.value)


def test_a_token_shows_itself_nowhere():
    assert SECRET not in f"{Token(SECRET)!r}{Token(SECRET)}"
