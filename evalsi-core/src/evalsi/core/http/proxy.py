"""The proxy that the environment puts before a server: `http_proxy`, `no_proxy` and their kin."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from evalsi.core.http.failed import TransportFailed

__all__ = ["Way", "way_to"]


class Way(NamedTuple):
    """How a server is reached.

    Attributes:
        proxy: its address without credentials, or None.
        with_request: headers for the proxy, which reads the request itself.
        with_tunnel: headers for the proxy, which sees only that a tunnel is asked for.
    """

    proxy: str | None
    with_request: Mapping[str, str]
    with_tunnel: Mapping[str, str]


def way_to(url: str) -> Way:
    """The way that the environment prescribes now.

    Raises:
        TransportFailed: it is no way that is known here.
    """
    to = _parsed(url, "is no usable address")
    named = getproxies()
    proxy = named.get(to.scheme) or named.get("all")
    if not proxy or proxy_bypass(to.hostname or ""):
        return Way(None, {}, {})
    by = _parsed(
        proxy if "://" in proxy else f"http://{proxy}",
        "is behind a proxy that has no usable address",
    )
    if by.scheme not in ("http", "https"):
        what = f"is behind a {by.scheme} proxy, and only HTTP proxies are known here; set no_proxy"
        raise TransportFailed(what, "refused")
    key = _key(by.username, by.password)
    bare = by._replace(netloc=by.netloc.rpartition("@")[2]).geturl()
    return Way(bare, {}, key) if to.scheme == "https" else Way(bare, key, {})


def _parsed(url: str, otherwise: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise TransportFailed(f"{otherwise}: {error}", "refused") from error


def _key(name: str | None, password: str | None) -> Mapping[str, str]:
    """Basic credentials, which must never reach the server behind the proxy."""
    if name is None:
        return {}
    said = f"{unquote(name)}:{unquote(password or '')}".encode()
    return {"proxy-authorization": f"Basic {b64encode(said).decode()}"}
