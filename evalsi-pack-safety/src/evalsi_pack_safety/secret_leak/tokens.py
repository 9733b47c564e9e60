"""Tokens that begin as their issuers say.

A text is read once as runs of letters, digits, "_" and "-". A run is a token when it begins with
a known prefix and goes on with as many characters, of the right kind, as the issuer's tokens have.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import Final, NamedTuple

from evalsi_pack_safety.findings import Finding
from evalsi_pack_safety.secret_leak.randomness import bits_a_character, is_placeholder

__all__ = ["tokens_in"]

_RUN: Final = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST: Final = 400
_BITS: Final = 2.8

_UPPER: Final = frozenset(string.ascii_uppercase + string.digits)
_HEX: Final = frozenset("0123456789abcdef")
_PLAIN: Final = frozenset(string.ascii_letters + string.digits)
_ANY: Final = _PLAIN | {"_", "-"}


class _Form(NamedTuple):
    """What comes behind a prefix: of which characters, and how many."""

    kind: str
    letters: frozenset[str]
    least: int
    most: int = _LONGEST


_FORMS: Final = {
    **dict.fromkeys(("AKIA", "ASIA"), _Form("aws key", _UPPER, 16, 16)),
    **dict.fromkeys(("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _Form("github token", _PLAIN, 36)),
    "github_pat_": _Form("github token", _ANY, 70),
    "glpat-": _Form("gitlab token", _ANY, 20),
    **dict.fromkeys(
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-"), _Form("slack token", _ANY, 24)
    ),
    **dict.fromkeys(
        ("sk_live_", "rk_live_", "sk_test_", "rk_test_"), _Form("stripe key", _PLAIN, 24)
    ),
    "whsec_": _Form("stripe key", _PLAIN, 32),
    "AIza": _Form("google key", _ANY, 35, 35),
    "GOCSPX-": _Form("google key", _ANY, 28, 28),
    **dict.fromkeys(("sk-proj-", "sk-svcacct-", "sk-admin-"), _Form("openai key", _ANY, 40)),
    "sk-ant-": _Form("anthropic key", _ANY, 40),
    "sk-or-v1-": _Form("openrouter key", _HEX, 64, 64),
    "sk-": _Form("api key", _PLAIN, 32, 64),
    "hf_": _Form("hugging face token", _PLAIN, 34, 40),
    "gsk_": _Form("groq key", _PLAIN, 48, 60),
    "xai-": _Form("xai key", _PLAIN, 70, 90),
    "pplx-": _Form("perplexity key", _PLAIN, 48, 56),
    "nvapi-": _Form("nvidia key", _ANY, 60),
    "r8_": _Form("replicate token", _PLAIN, 37, 37),
    "npm_": _Form("npm token", _PLAIN, 36, 36),
    "pypi-AgEI": _Form("pypi token", _ANY, 50),
    **dict.fromkeys(("dop_v1_", "doo_v1_", "dor_v1_"), _Form("digitalocean token", _HEX, 64, 64)),
    **dict.fromkeys(("shpat_", "shpca_", "shppa_", "shpss_"), _Form("shopify token", _HEX, 32, 32)),
    "dapi": _Form("databricks token", _HEX, 32, 32),
    "lin_api_": _Form("linear key", _PLAIN, 40, 40),
    "figd_": _Form("figma token", _ANY, 40),
    "sq0atp-": _Form("square token", _ANY, 22, 22),
    "sq0csp-": _Form("square token", _ANY, 43, 43),
    "key-": _Form("mailgun key", _HEX, 32, 32),
    "SK": _Form("twilio key", _HEX, 32, 32),
    "glsa_": _Form("grafana token", _ANY, 40),
    "ATATT3": _Form("atlassian token", _ANY, 150),
    "PMAK-": _Form("postman key", _ANY, 59, 59),
    "AGE-SECRET-KEY-1": _Form("age key", _UPPER, 58, 58),
}
"""The forms by prefix, as in the issuers' documentation."""

_BY_BEGINNING: Final = {
    beginning: sorted((p for p in _FORMS if p[:2] == beginning), key=len, reverse=True)
    for beginning in {prefix[:2] for prefix in _FORMS}
}


def tokens_in(text: str) -> Iterator[Finding]:
    """Every token of a known form."""
    for run in _RUN.finditer(text):
        size = run.end() - run.start()
        if size >= 20 and (kind := _kind(run[0])):
            yield Finding(kind, run[0], run.start())


def _kind(run: str) -> str | None:
    for prefix in _BY_BEGINNING.get(run[:2], ()):
        if run.startswith(prefix):
            form, body = _FORMS[prefix], run[len(prefix) :]
            fits = form.least <= len(body) <= form.most and form.letters.issuperset(body)
            if fits and bits_a_character(body) >= _BITS and not is_placeholder(body):
                return form.kind
    return None
