"""Batches: as large as the load, each call with its own rows, and none that nobody waits for."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from evalsi_server.batching import Batcher


class Gate:
    """A reward that scores when it is let, and notes the batches that it got."""

    def __init__(self, *, grouped=False):
        self.grouped = grouped
        self.batches = []
        self.open = threading.Event()

    def rewards(self, records, stop):
        self.batches.append(list(records))
        assert self.open.wait(20)
        if "raise" in records:
            raise RuntimeError("broken")
        return [f"row of {record}" for record in records]


def run(main, function):
    async def whole():
        with ThreadPoolExecutor(4) as threads:
            return await main(Batcher(function, threads, places=1))

    return asyncio.run(whole())


async def begun(function):
    while not function.batches:
        await asyncio.sleep(0.001)


def test_what_arrives_while_a_batch_runs_is_the_next_batch():
    function, ended = Gate(), []

    async def main(batcher):
        calls = [asyncio.create_task(batcher.settled([f"{n}"], ended.clear)) for n in range(5)]
        await begun(function)
        assert batcher.waiting == 4
        function.open.set()
        return await asyncio.gather(*calls)

    assert run(main, function) == [[f"row of {n}"] for n in range(5)]
    assert function.batches == [["0"], ["1", "2", "3", "4"]]


def test_what_waits_is_shared_among_the_places():
    function = Gate()
    function.open.set()

    async def whole():
        with ThreadPoolExecutor(4) as threads:
            batcher = Batcher(function, threads, places=2)
            await asyncio.gather(*(batcher.settled([f"{n}"], int) for n in range(10)))

    asyncio.run(whole())
    assert sum(map(len, function.batches)) == 10
    assert max(map(len, function.batches)) == 4


def test_the_calls_of_a_group_scope_are_never_put_together():
    function = Gate(grouped=True)
    function.open.set()

    async def main(batcher):
        return await asyncio.gather(*(batcher.settled([n, n], int) for n in "abc"))

    assert run(main, function) == [[f"row of {n}"] * 2 for n in "abc"]
    assert function.batches == [["a", "a"], ["b", "b"], ["c", "c"]]


def test_a_call_that_nobody_waits_for_is_dropped_before_it_begins():
    function, ended = Gate(), []

    async def main(batcher):
        first = asyncio.create_task(batcher.settled(["first"], lambda: ended.append("first")))
        await begun(function)
        second = asyncio.create_task(batcher.settled(["second"], lambda: ended.append("second")))
        await asyncio.sleep(0.01)
        second.cancel()
        await asyncio.sleep(0.01)
        assert (batcher.waiting, ended) == (0, ["second"])
        function.open.set()
        await first

    run(main, function)
    assert function.batches == [["first"]]
    assert ended == ["second", "first"]


def test_a_call_that_runs_holds_its_places_until_it_ends():
    function, ended = Gate(), []

    async def main(batcher):
        call = asyncio.create_task(batcher.settled(["one"], lambda: ended.append("one")))
        await begun(function)
        call.cancel()
        await asyncio.sleep(0.01)
        assert ended == []
        function.open.set()
        while not ended:
            await asyncio.sleep(0.001)

    run(main, function)
    assert ended == ["one"]


def test_an_error_reaches_every_call_of_its_batch_and_the_next_batch_runs():
    function = Gate()

    async def main(batcher):
        first = asyncio.create_task(batcher.settled(["raise"], int))
        await begun(function)
        later = asyncio.create_task(batcher.settled(["fine"], int))
        function.open.set()
        with pytest.raises(RuntimeError, match="broken"):
            await first
        return await later

    assert run(main, function) == ["row of fine"]


def test_after_a_stop_no_call_gets_rows():
    function = Gate()

    async def main(batcher):
        calls = [asyncio.create_task(batcher.settled([name], int)) for name in ("runs", "waits")]
        await begun(function)
        batcher.stop(ValueError("over"))
        function.open.set()
        return await asyncio.gather(*calls, return_exceptions=True)

    assert [str(error) for error in run(main, function)] == ["over", "over"]
    assert function.batches == [["runs"]]
