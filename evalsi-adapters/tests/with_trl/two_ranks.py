"""What every rank runs: three short runs of GRPO; its findings go to a file.

torchrun --nproc-per-node 2 two_ranks.py FOLDER
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import torch.distributed
from advantages import FLAKY
from lessons import LETTERS, lessons
from training import Pupil, logged, trained, watched
from trl import GRPOTrainer

from evalsi.core import DataError
from evalsi.core.engine import close_engine
from evalsi.rewards.trl import reward_funcs

GROUPED = {"components": [{"ref": "trl-fakes:group-size", "name": "size"}]}


def ran(pupil: Pupil, spec: dict[str, Any], per_rank: int, folder: Path) -> dict[str, Any]:
    functions, weights = reward_funcs(spec)
    try:
        trainer = trained(
            watched(GRPOTrainer),
            pupil,
            functions,
            [{"prompt": f"Say {number}:"} for number in range(8)],
            folder,
            reward_weights=weights,
            per_device_train_batch_size=per_rank,
            num_generations=4,
        )
    except DataError as error:
        return {"error": str(error)}
    return {"batches": trainer.batches, "log": logged(trainer)}


def main() -> None:
    folder, rank = Path(sys.argv[1]), os.environ["RANK"]
    pupil = Pupil([lesson for n in range(8) for lesson in lessons(f"Say {n}:", LETTERS)])
    found = {
        "split": ran(pupil, FLAKY, 2, folder),
        "whole group": ran(pupil, GROUPED, 4, folder),
        "split group": ran(pupil, GROUPED, 2, folder),
    }
    (folder / f"{rank}.json").write_text(json.dumps(found), "utf-8")
    torch.distributed.barrier()
    close_engine()
    os._exit(0)  # on the usual way out gloo's threads abort the process now and then


if __name__ == "__main__":
    main()
