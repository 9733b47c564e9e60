"""Connections to one URL, for one event loop, and the ways in which they fail.

The only file that imports aiohttp.
"""

from __future__ import annotations

import io
import ssl
import sys
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evalsi.core.http.begun import begun
from evalsi.core.http.failed import TransportFailed
from evalsi.core.http.proxy import way_to

if TYPE_CHECKING:
    import aiohttp

__all__ = ["IDLE_S", "MAX_BYTES", "Answer", "Transport"]

MAX_BYTES: Final = 64 * 1024 * 1024
"""The longest answer that is read."""

IDLE_S: Final = 4.0
"""Seconds that an idle connection is kept: below the 5 s after which common servers close."""

_AT_ONCE: Final = 1 << 20


class Answer(NamedTuple):
    """An answer of HTTP; the names of its headers are case-insensitive."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Asks one URL; a connection carries one request at a time, and is kept for the next.

    Proxies and certificates are those of the environment. No redirect is followed, no cookie is
    kept, no key is looked up. Made in the loop that uses it.

    Args:
        url: where to.
        headers: of every request.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        import aiohttp

        # Not `trust_env`: it takes two threads a request, and sends what ~/.netrc holds.
        self._way = way_to(url)
        trusted = ssl.create_default_context() if url.startswith("https:") else True
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE_S, ssl=trusted)
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            # The caller keeps the time of a whole try.
            timeout=aiohttp.ClientTimeout(),
            auto_decompress=False,
            request_class=_request_class(),
        )
        self._url = url
        # Not the session's own headers, which it shows to proxies as well. And no packed answer:
        # a few kilobytes could unpack to anything.
        self._headers = {"accept-encoding": "identity", **headers, **self._way.with_request}

    async def ask(self, method: str, body: bytes | None = None) -> Answer:
        """The server's answer; cancelling it ends its connection.

        Raises:
            TransportFailed: there is none.
        """
        with _told():
            asking = self._session.request(
                method,
                self._url,
                headers=self._headers,
                # aiohttp warns of more than 1 MiB in one write; a file goes in parts.
                data=body if body is None or len(body) <= _AT_ONCE else io.BytesIO(body),
                allow_redirects=False,
                proxy=self._way.proxy,
                proxy_headers=self._way.with_tunnel,
            )
            async with asking as response:
                return Answer(response.status, response.headers, await _body(response))

    async def aclose(self) -> None:
        """Closes what is open."""
        await self._session.close()


@cache
def _request_class() -> type[aiohttp.ClientRequest]:
    """Requests that write their body at once, as aiohttp's own do from Python 3.12 on.

    Before, it begins a turn of the loop later than the head, which both then wait for: a tenth of
    all requests that a near server could have held.
    """
    import aiohttp

    if sys.version_info >= (3, 12):
        return aiohttp.ClientRequest

    class AtOnce(aiohttp.ClientRequest):
        def write_bytes(self, *args: Any, **words: Any) -> Coroutine[Any, Any, None]:
            return begun(super().write_bytes(*args, **words))

    return AtOnce


async def _body(response: aiohttp.ClientResponse) -> bytes:
    coding = response.headers.get("content-encoding", "identity")
    if coding != "identity":
        what = f"sent a body in {coding[:20]}, which was not asked for"
        raise TransportFailed(what, "malformed")
    _within(response.content_length or 0)
    parts, size = [], 0
    async for part in response.content.iter_any():
        parts.append(part)
        size = _within(size + len(part))
    return b"".join(parts)


def _within(size: int) -> int:
    if size > MAX_BYTES:
        raise TransportFailed(f"sent more than {MAX_BYTES >> 20} MiB", "malformed")
    return size


@contextmanager
def _told() -> Iterator[None]:
    """Has every way to fail told as one."""
    import aiohttp

    try:
        yield
    except aiohttp.ClientConnectorError as error:
        why = str(error.__cause__ or error)
        raise TransportFailed(f"takes no connection: {why}", "connect") from error
    except aiohttp.ClientHttpProxyError as error:
        what = f"takes no connection: its proxy answers {error.status} {error.message}"
        raise TransportFailed(what, "connect") from error
    except aiohttp.ClientResponseError as error:
        why, _, _ = error.message.partition("\n")
        what = f"sent an answer that is no HTTP: {why.rstrip(':')}"
        raise TransportFailed(what, "malformed") from error
    except aiohttp.ServerDisconnectedError as error:
        raise TransportFailed("broke the connection without an answer", "connect") from error
    except aiohttp.ClientPayloadError as error:
        raise TransportFailed("broke the connection before its answer ended", "connect") from error
    except (ValueError, aiohttp.NonHttpUrlClientError) as error:
        raise TransportFailed(f"is no usable address: {error}", "refused") from error
    except aiohttp.ClientError as error:
        raise TransportFailed(f"broke the connection: {error}", "connect") from error
