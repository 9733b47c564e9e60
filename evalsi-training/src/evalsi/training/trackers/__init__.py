"""Results of a training run on the dashboard where people watch it."""

from __future__ import annotations

from evalsi.training.trackers.contract import CanBeAsked, Tracker, TrackerError
from evalsi.training.trackers.delivery import Delivery
from evalsi.training.trackers.making import trackers_named
from evalsi.training.trackers.message import Message
from evalsi.training.trackers.mlflow import MLflow
from evalsi.training.trackers.outbox import Outbox
from evalsi.training.trackers.relaying import Relay, relay
from evalsi.training.trackers.tensorboard import TensorBoard
from evalsi.training.trackers.wandb import Wandb
from evalsi.training.trackers.writers import Writer

__all__ = [
    "CanBeAsked",
    "Delivery",
    "MLflow",
    "Message",
    "Outbox",
    "Relay",
    "TensorBoard",
    "Tracker",
    "TrackerError",
    "Wandb",
    "Writer",
    "relay",
    "trackers_named",
]
