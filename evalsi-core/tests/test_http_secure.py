"""TLS and proxies, against real ones on loopback."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import subprocess
from base64 import b64encode

import pytest
from fault_server import FaultServer, reply
from proxy_server import Proxy

from evalsi.core.http import Server, ServerError
from evalsi.core.http.failed import TransportFailed
from evalsi.core.http.proxy import way_to


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def ask(url, times=1):
    async def main():
        server = Server(url, {"authorization": "Bearer ours"})
        return await asyncio.gather(*(server.post(b"{}", 5.0) for _ in range(times)))

    return asyncio.run(main())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("openssl belongs to this run")
        pytest.skip("no openssl here to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    named = ["-subj", "/CN=evalsi tests", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run([*made.split(), *named, *files], check=True, capture_output=True)
    return folder


@pytest.fixture
def tls(certificate):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    return context


@pytest.fixture
def trusted(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))


def test_a_trusted_server_is_asked_over_tls(tls, trusted):
    with FaultServer([reply("4")], tls=tls) as server:
        answers = ask(server.url, times=8)
        assert server.closed.wait(5)
    assert [b'"4"' in answer for answer in answers] == [True] * 8
    assert server.connections == 8


def test_a_server_that_nobody_vouches_for_gets_no_request(tls):
    with FaultServer([reply("4")], tls=tls) as server, pytest.raises(ServerError) as raised:
        ask(server.url)
    assert raised.value.cause == "connect"
    assert "certificate verify failed" in str(raised.value)
    assert server.asked == []


def basic(text):
    return f"proxy-authorization: basic {b64encode(text.encode()).decode()}".lower()


def test_a_proxy_of_the_environment_carries_the_request(monkeypatch):
    with Proxy(reply("by proxy")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//me:p%40ss@"))
        (answer,) = ask("http://model.invalid/v1")
    assert b"by proxy" in answer
    assert proxy.heads[0].startswith("POST http://model.invalid/v1 HTTP/1.1\r\n")
    assert basic("me:p@ss") in proxy.heads[0].lower()
    assert "authorization: bearer ours\r\n" in proxy.heads[0].lower()


def test_a_proxy_sees_nothing_of_a_tunnel(tls, trusted, monkeypatch):
    with FaultServer([reply("4")], tls=tls) as server, Proxy(reply("by proxy")) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url.replace("//", "//me:pass@"))
        (answer,) = ask(server.url)
    assert b'"4"' in answer
    assert proxy.heads[0].startswith("CONNECT 127.0.0.1:")
    assert basic("me:pass") in proxy.heads[0].lower()
    assert "ours" not in proxy.heads[0]
    assert "proxy-authorization" not in server.asked[0].headers


def test_a_proxy_that_refuses_a_tunnel_is_told(monkeypatch):
    with Proxy(reply(""), refusal="407 Who are you") as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        with pytest.raises(ServerError) as raised:
            ask("https://model.invalid/v1")
    assert raised.value.cause == "connect"
    assert "its proxy answers 407 Who are you" in str(raised.value)


@pytest.mark.parametrize(
    ("url", "environ", "proxy"),
    [
        ("http://host/v1", {}, None),
        ("http://host/v1", {"http_proxy": "http://proxy:3128"}, "http://proxy:3128"),
        ("http://host/v1", {"HTTP_PROXY": "proxy:3128"}, "http://proxy:3128"),
        ("http://host/v1", {"all_proxy": "http://proxy:3128"}, "http://proxy:3128"),
        ("http://host/v1", {"https_proxy": "http://proxy:3128"}, None),
        ("https://host/v1", {"https_proxy": "http://me@proxy:3128"}, "http://proxy:3128"),
        ("http://host/v1", {"http_proxy": "http://proxy:3128", "no_proxy": "host"}, None),
        ("http://[::1]:8000/v1", {"http_proxy": "http://p", "no_proxy": "::1"}, None),
    ],
)
def test_the_environment_names_the_proxy(monkeypatch, url, environ, proxy):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert way_to(url).proxy == proxy


@pytest.mark.parametrize("proxy", ["socks5://proxy:1080", "http://[::1"])
def test_a_proxy_that_is_not_spoken_with_is_refused(monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(TransportFailed, match="is behind a") as raised:
        way_to("http://host/v1")
    assert raised.value.cause == "refused"
