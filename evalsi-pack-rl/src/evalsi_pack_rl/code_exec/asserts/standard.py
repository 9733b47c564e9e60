"""Names that mean the same to every reader of a test: built-in ones, and the well-known imports."""

from __future__ import annotations

import builtins
import sys
from typing import Final

__all__ = ["BUILT_IN", "STANDARD", "THIRD_PARTY"]

BUILT_IN: Final = frozenset(dir(builtins))

_WELL_KNOWN: Final = {
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "copy": "deepcopy",
    "dataclasses": "dataclass",
    "datetime": "timedelta",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "functools": "partial reduce",
    "io": "StringIO",
    "itertools": "chain combinations islice permutations product",
    "math": "ceil floor gcd inf isclose isnan pi sqrt",
    "typing": "Any Callable Dict Iterable List Optional Sequence Set Tuple Union",
    "unittest": "TestCase",
    "unittest.mock": "MagicMock Mock patch",
}
STANDARD: Final = {
    name: (module, name) for module, names in _WELL_KNOWN.items() for name in names.split()
} | {name: (name, "") for name in sys.stdlib_module_names if not name.startswith("_")}
"""Module and attribute by name; a module itself has an empty attribute."""

_INSTALLED: Final = (
    "PIL aiohttp attr attrs boto3 bs4 cv2 dateutil django faker fastapi flask freezegun httpx "
    "hypothesis jinja2 lxml matplotlib networkx nltk numpy pandas parameterized psutil pydantic "
    "pytz redis requests responses scipy seaborn sklearn sqlalchemy statsmodels sympy tensorflow "
    "torch tqdm yaml"
)
THIRD_PARTY: Final = frozenset(_INSTALLED.split())
"""Modules that a test means when it imports them, and never the program."""
