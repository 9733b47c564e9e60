"""verl's training as far as its saves: its loop and its callback, with a step that only counts."""

import shutil
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

from hydra import compose, initialize_config_dir

with warnings.catch_warnings(action="ignore"):  # of what verl imports from Ray
    import verl
    from verl.trainer.ppo.v1 import trainer_base

Evaluated = None  # the class under test, which verl finds by its name

SHARDS = "model_world_size_1_rank_0.pt"


def config(folder, *words):
    """verl's own settings, with what a command line would change."""
    where = Path(verl.__file__).parent / "trainer" / "config"
    with initialize_config_dir(str(where), version_base=None):
        return compose(
            "ppo_trainer",
            [
                f"trainer.default_local_dir={folder}",
                f"trainer.checkpoint_callback_class={__name__}.Evaluated",
                "trainer.experiment_name=gym",
                "trainer.save_freq=2",
                "trainer.test_freq=-1",
                "trainer.val_before_train=False",
                "trainer.logger=[]",
                "data.train_batch_size=1",
                *words,
            ],
        )


class Workers:
    """Save as verl's do: shards, and a whole model beside them; only so many are kept."""

    def __init__(self, late=lambda write: write()):
        self.late = late
        self.saved = []

    def save_checkpoint(self, folder, remote, step, max_ckpt_to_keep=None):
        model = Path(folder) / "huggingface"
        model.mkdir(parents=True)
        (Path(folder) / SHARDS).write_bytes(b"shards")
        (model / "config.json").write_text("{}")
        self.late(lambda: (model / "model.safetensors").write_bytes(b"weights"))
        self.saved.append(folder)
        while max_ckpt_to_keep and len(self.saved) > max_ckpt_to_keep:
            shutil.rmtree(self.saved.pop(0))


class Training(trainer_base.PPOTrainer):
    """verl's trainer, begun behind the set-up of its models."""

    def __init__(self, settings, workers, *, steps, within=lambda trainer: None):
        super().__init__(settings)
        self.actor_rollout_wg = workers
        self.use_critic = False
        self.within = within
        self.global_steps = 0
        self.total_training_steps = self.steps_per_epoch = steps
        self.train_dataloader = SimpleNamespace(state_dict=dict)
        self._dump_futures = []
        self._dump_executor = ThreadPoolExecutor(1)
        self.ran = 0

    def step(self, metrics, timing_raw):
        self.ran = self.global_steps
        self.within(self)
        return SimpleNamespace(keys=[], partition_id="train")

    def on_step_end(self):
        pass

    def on_sample_end(self):
        pass

    def _compute_metrics(self, *_, **__):
        pass
