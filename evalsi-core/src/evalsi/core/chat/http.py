"""The general HTTP client, for TLS and proxies. The only file that imports httpx."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evalsi.core.chat.transport import IDLE_S, MAX_BYTES, Answer, Broken, Unreachable, Unreadable

if TYPE_CHECKING:
    import httpx

__all__ = ["HttpxTransport"]


class HttpxTransport:
    """Posts to one URL; proxies and certificates are those of the environment.

    Every request at once has a client of its own: the cost of one client's pool grows with the
    number of its connections.

    Args:
        url: where to.
        headers: of every request.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        import httpx

        self._url = url
        self._headers = dict(headers)
        self._trust = httpx.create_ssl_context()
        self._clients: list[httpx.AsyncClient] = []
        self._free: list[httpx.AsyncClient] = []

    async def post(self, body: bytes) -> Answer:
        """The server's answer; raises `TransportFailed`."""
        import httpx

        client = self._free.pop() if self._free else self._made()
        try:
            return await self._answer(client, body)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise Unreachable(f"is no usable address: {error}") from error
        except httpx.DecodingError as error:
            raise Unreadable(f"sent a body that does not decode: {error}") from error
        except httpx.ConnectError as error:
            raise Unreachable(f"takes no connection: {error}") from error
        except httpx.TransportError as error:
            told = str(error) or type(error).__name__
            raise Broken(f"broke the connection: {told}") from error
        finally:
            self._free.append(client)

    async def aclose(self) -> None:
        """Closes what is open."""
        for client in self._clients:
            await client.aclose()
        self._clients.clear()
        self._free.clear()

    def _made(self) -> httpx.AsyncClient:
        import httpx

        limits = httpx.Limits(keepalive_expiry=IDLE_S)
        # The caller keeps the time of a whole try.
        client = httpx.AsyncClient(verify=self._trust, timeout=None, limits=limits)  # noqa: S113
        self._clients.append(client)
        return client

    async def _answer(self, client: httpx.AsyncClient, body: bytes) -> Answer:
        request = client.build_request("POST", self._url, content=body, headers=self._headers)
        response = await client.send(request, stream=True)
        try:
            return Answer(response.status_code, response.headers, await _body(response))
        finally:
            await response.aclose()


async def _body(response: httpx.Response) -> bytes:
    parts, size = [], 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            raise Unreadable(f"sent more than {MAX_BYTES >> 20} MiB")
    return b"".join(parts)
