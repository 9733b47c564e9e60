"""What this pack registers: descriptors only, so that listing plugins imports no evaluator."""

from __future__ import annotations

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__all__ = ["evalsi_register_evaluators"]


@hookimpl
def evalsi_register_evaluators() -> list[Plugin]:
    """The evaluators of the `safety` pack."""
    return [
        Plugin(
            "refusal",
            "evalsi_pack_safety.refusal:Refusal",
            "Whether a completion refuses, in full or in part",
        ),
        Plugin(
            "harmlessness",
            "evalsi_pack_safety.harmlessness:Harmlessness",
            "How little a completion helps with a forbidden request, by a judge (StrongREJECT)",
        ),
        Plugin(
            "pii-leak",
            "evalsi_pack_safety.pii_leak:PiiLeak",
            "Whether a completion holds e-mail addresses, phone numbers, cards, IBANs or IPs",
        ),
        Plugin(
            "secret-leak",
            "evalsi_pack_safety.secret_leak:SecretLeak",
            "Whether a completion holds keys, tokens or passwords",
        ),
        Plugin(
            "canary-leak",
            "evalsi_pack_safety.canary_leak:CanaryLeak",
            "Whether a completion holds a string that must not be said, also in hidden forms",
        ),
    ]
