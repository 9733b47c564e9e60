"""A stream ends in whatever thread ends it."""

import threading
from types import SimpleNamespace

from evalsi.core.reward.stream import _overlapped


def test_a_stream_that_ends_in_one_of_its_own_threads_does_not_wait_for_itself():
    ended = []

    class Function:
        in_flight = 4

        def rewards(self, chunk, _stop):
            if chunk == [2]:
                has_first.wait(10)
                try:
                    rows.close()  # as the collector may, in whatever thread it runs
                    ended.append(None)
                except RuntimeError as error:
                    ended.append(error)
                over.set()
            return [SimpleNamespace(causes=(), reward=chunk)]

    has_first, over = threading.Event(), threading.Event()
    rows = _overlapped(Function(), [[n] for n in range(1, 9)])
    next(rows)
    has_first.set()

    assert over.wait(10)
    assert ended == [None]


def test_a_stream_that_ends_in_a_thread_for_which_its_own_wait_does_not_wait_for_them():
    class Function:
        in_flight = 4

        def rewards(self, chunk, _stop):
            if chunk == [2]:
                assert ended.wait(10)  # as for one of the engine's threads
            return [SimpleNamespace(causes=(), reward=chunk)]

    ended = threading.Event()
    rows = _overlapped(Function(), [[n] for n in range(1, 9)])
    next(rows)

    def collect():
        rows.close()
        ended.set()

    engines = threading.Thread(target=collect)
    engines.start()
    engines.join(10)
    assert ended.is_set()
