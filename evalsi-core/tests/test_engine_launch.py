"""What a launched program is given, and what it is not."""

import json
import os
from contextlib import closing

import pytest

from evalsi.core.engine import close_engine, current_engine
from evalsi.core.engine.client import Kept, pair
from evalsi.core.sandbox import Finished, Launch


@pytest.fixture(autouse=True)
def _own_engine():
    yield
    close_engine()


def said(source, **how):
    """What a shell prints that is launched so."""
    reading, writing = os.pipe()
    with open(reading) as printed:  # noqa: PTH123 - a descriptor
        launch = Launch(["/bin/sh", "-c", source], fds={1: writing}, **how)
        with closing(current_engine().launcher.launch(launch)) as launched:
            os.close(writing)
            launched.wait(10)
            return printed.read().strip()


def test_it_stands_back_as_far_as_it_is_told():
    nice = "cut -d' ' -f19 /proc/self/stat"

    assert int(said(nice, nice=5)) == min(int(said(nice)) + 5, 19)


@pytest.mark.parametrize(("wanted", "status"), [(True, "1"), (False, "0")])
def test_it_gains_no_privilege_where_it_shall_not(wanted, status):
    source = "grep NoNewPrivs /proc/self/status"

    assert said(source, no_new_privs=wanted).split() == ["NoNewPrivs:", status]


def test_a_kill_that_comes_too_late_does_not_hide_how_it_ended():
    ours, theirs = pair()
    theirs.send(json.dumps(("born", 1)).encode())
    kept = Kept(ours)
    theirs.send(json.dumps(("ended", 0, 0.5, 4096)).encode())
    kept.kill()
    theirs.close()  # with the word unread: the kernel resets the connection

    assert kept.wait(5) == Finished(0, 0.5, 4096)
    kept.close()
