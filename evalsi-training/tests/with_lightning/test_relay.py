"""Results relayed by the loggers of a Lightning trainer."""

import csv
from pathlib import Path

import torch
import wandb
from fitting import Line, saving, trainer_with
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger, WandbLogger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.data import DataLoader, TensorDataset
from tracker_kit import Leaves
from wandb_file import axes, rows


def fit(tmp_path, loggers, **options):
    callback = saving(tmp_path / "out", Leaves(tmp_path / "logs"), each=2, **options)
    trainer = trainer_with(callback, steps=6, logger=loggers)
    trainer.fit(Line(), DataLoader(TensorDataset(torch.ones(8, 1)), batch_size=1))


def test_every_result_is_charted_by_each_logger(tmp_path):
    board, table = TensorBoardLogger(tmp_path / "tb"), CSVLogger(tmp_path / "csv")

    fit(tmp_path, [board, table])

    held = EventAccumulator(board.log_dir).Reload().Scalars("evalsi/right")
    assert [(event.step, round(event.value, 6)) for event in held] == [
        (0, 0.95),
        (2, 0.95),
        (4, 0.5),
        (6, 0.95),
    ]
    with Path(table.log_dir, "metrics.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["evalsi/right"]]
    assert [int(row["step"]) for row in rows] == [0, 2, 4, 6]


def test_wandb_has_one_writer_and_an_axis_of_its_own(tmp_path):
    logger = WandbLogger(project="p", save_dir=tmp_path / "wb", offline=True)

    fit(tmp_path, [logger])
    logger.experiment.finish()
    wandb.teardown()

    assert len(list((tmp_path / "wb").rglob("*.wandb"))) == 1
    assert [int(row["evalsi/step"]) for row in rows(tmp_path / "wb")] == [0, 2, 4, 6]
    assert axes(tmp_path / "wb")["evalsi/right"] == "evalsi/step"


def test_without_relay_nothing_is_charted(tmp_path):
    table = CSVLogger(tmp_path / "csv")

    fit(tmp_path, [table], relay=False)

    assert not table.experiment.metrics
