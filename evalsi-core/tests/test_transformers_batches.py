"""Requests that are made together are answered together, in a thread of their own."""

import asyncio
import threading
import time

import pytest

from evalsi.core.connectors.transformers.batches import Batches


class Doubles:
    """Doubles numbers; notes the batches and their threads."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds
        self.seen = []
        self.threads = set()

    def __call__(self, numbers):
        self.seen.append(list(numbers))
        self.threads.add(threading.current_thread())
        time.sleep(self.seconds)
        return [ValueError(n) if n < 0 else 2 * n for n in numbers]


def asked(doubles, *groups, most=4):
    """The answers to groups of numbers, each group asked at once when the one before is done."""

    async def main():
        batches = Batches(doubles, most)
        found = []
        for group in groups:
            asking = (batches.ask(number) for number in group)
            found += await asyncio.gather(*asking, return_exceptions=True)
        await batches.aclose(lambda: None)
        return found

    return asyncio.run(main())


def test_what_is_asked_at_once_is_one_batch_up_to_the_most():
    doubles = Doubles()
    assert asked(doubles, range(6), [9], most=4) == [0, 2, 4, 6, 8, 10, 18]
    assert doubles.seen == [[0, 1, 2, 3], [4, 5], [9]]
    assert len(doubles.threads) == 1
    assert threading.current_thread() not in doubles.threads


def test_one_error_is_that_of_one_request():
    found = asked(Doubles(), [1, -1, 2])
    assert (found[0], str(found[1]), found[2]) == (2, "-1", 4)


def test_a_batch_that_breaks_is_an_error_of_all_its_requests_and_of_no_others():
    class Breaks(Doubles):
        def __call__(self, numbers):
            if 13 in numbers:
                raise RuntimeError("broken")
            return super().__call__(numbers)

    found = asked(Breaks(), [13, 1], [2])
    assert [str(one) for one in found] == ["broken", "broken", "4"]


def test_the_loop_runs_while_a_batch_does():
    async def main():
        batches = Batches(Doubles(0.2), 4)
        asking = asyncio.create_task(batches.ask(1))
        turns = 0
        while not asking.done():
            await asyncio.sleep(0.01)
            turns += 1
        await batches.aclose(lambda: None)
        return turns

    assert asyncio.run(main()) > 5


def test_a_request_whose_caller_has_gone_is_not_begun():
    async def main():
        doubles = Doubles(0.1)
        batches = Batches(doubles, 1)
        first, second, third = (asyncio.create_task(batches.ask(n)) for n in (1, 2, 3))
        await asyncio.sleep(0.05)
        second.cancel()
        assert (await first, await third) == (2, 6)
        await batches.aclose(lambda: None)
        return doubles.seen

    assert asyncio.run(main()) == [[1], [3]]


def test_closing_cancels_what_waits_and_does_the_last_thing_when_the_thread_is_idle():
    async def main():
        doubles, last = Doubles(0.1), []
        batches = Batches(doubles, 1)
        asking = [asyncio.create_task(batches.ask(n)) for n in (1, 2, 3)]
        await asyncio.sleep(0.05)
        await batches.aclose(lambda: last.append(time.monotonic()))
        ended = await asyncio.gather(*asking, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in ended)
        return doubles.seen, len(last)

    assert asyncio.run(main()) == ([[1]], 1)


def test_closing_without_a_request_does_the_last_thing_too():
    assert asked(Doubles()) == []


@pytest.mark.parametrize("most", [1, 3])
def test_all_of_a_crowd_are_answered(most):
    doubles = Doubles()
    assert asked(doubles, range(50), most=most) == [2 * n for n in range(50)]
    assert max(map(len, doubles.seen)) == most
