"""The languages in which a refusal is understood."""

from __future__ import annotations

from typing import Final

from evalsi_pack_safety.refusal.grammar import Grammar
from evalsi_pack_safety.refusal.languages.chinese import CHINESE
from evalsi_pack_safety.refusal.languages.english import ENGLISH
from evalsi_pack_safety.refusal.languages.french import FRENCH
from evalsi_pack_safety.refusal.languages.german import GERMAN
from evalsi_pack_safety.refusal.languages.italian import ITALIAN
from evalsi_pack_safety.refusal.languages.japanese import JAPANESE
from evalsi_pack_safety.refusal.languages.korean import KOREAN
from evalsi_pack_safety.refusal.languages.portuguese import PORTUGUESE
from evalsi_pack_safety.refusal.languages.russian import RUSSIAN
from evalsi_pack_safety.refusal.languages.spanish import SPANISH

__all__ = ["GRAMMARS"]

GRAMMARS: Final = {
    "en": Grammar(ENGLISH),
    "de": Grammar(GERMAN),
    "es": Grammar(SPANISH),
    "fr": Grammar(FRENCH),
    "it": Grammar(ITALIAN),
    "ja": Grammar(JAPANESE),
    "ko": Grammar(KOREAN),
    "pt": Grammar(PORTUGUESE),
    "ru": Grammar(RUSSIAN),
    "zh": Grammar(CHINESE),
}
"""A grammar by the language's code."""
