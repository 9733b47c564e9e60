"""Personal data in a completion: e-mail addresses, phone numbers, cards, accounts, IP addresses."""

from __future__ import annotations

from evalsi_pack_safety.pii_leak.evaluator import PiiLeak, PiiLeakParams

__all__ = ["PiiLeak", "PiiLeakParams"]
