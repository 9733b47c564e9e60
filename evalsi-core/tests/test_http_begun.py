"""A coroutine that has begun before its task runs it to the end, whatever happens to it."""

import asyncio

import pytest

from evalsi.core.http.begun import begun


def test_the_first_step_is_taken_in_the_call():
    seen = []

    async def short():
        seen.append("done")

    async def asked():
        rest = begun(short())
        assert seen == ["done"]
        await asyncio.create_task(rest)

    asyncio.run(asked())


def test_the_rest_goes_on_in_another_task():
    seen = []

    async def long():
        for step in range(3):
            seen.append(step)
            await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        seen.append("done")

    async def asked():
        rest = begun(long())
        assert seen == [0]
        await asyncio.create_task(rest)

    asyncio.run(asked())
    assert seen == [0, 1, 2, "done"]


def test_what_it_waits_for_may_fail():
    caught = []

    async def waits(future):
        try:
            await future
        except OSError as error:
            caught.append(str(error))

    async def asked():
        future = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(begun(waits(future)))
        await asyncio.sleep(0)
        future.set_exception(OSError("broken"))
        await task

    asyncio.run(asked())
    assert caught == ["broken"]


def test_it_can_be_cancelled_and_says_what_it_raises():
    ended = []

    async def waits():
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("ended")

    async def raises():
        await asyncio.sleep(0)
        raise ValueError("at the end")

    async def asked():
        task = asyncio.create_task(begun(waits()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(ValueError, match="at the end"):
            await asyncio.create_task(begun(raises()))

    asyncio.run(asked())
    assert ended == ["ended"]
