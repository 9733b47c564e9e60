"""Run by torchrun: two ranks under DistributedDataParallel call one hook."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

import torch
import torch.distributed as dist
from noting import Noting
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

from evalsi.training import PyTorchCheckpointHook

dist.init_process_group("gloo")
out = Path(sys.argv[1])
model = DistributedDataParallel(nn.Linear(2, 1))
evaluator = Noting(falls={2})
with PyTorchCheckpointHook(evaluator, wait=True) as hook:
    for step in range(1, 10):
        if hook.stop_reason(regression=True):
            print(f"stopped before {step}", flush=True)
            break
        hook.save(model, out / f"step-{step}.pt", step)
    mesh = init_device_mesh("cpu", (2,))
    sharded = {"weight": distribute_tensor(torch.zeros(4, 2), mesh, [Shard(0)])}
    try:
        hook.save(sharded, out / "step-3.pt", 3)
    except ValueError:
        print("sharded refused", flush=True)
if dist.get_rank() == 0:
    state = torch.load(out / "step-1.pt", weights_only=True)["model"]
    assert sorted(state) == ["bias", "weight"]
print(f"rank {dist.get_rank()}: {[(step, name) for step, name, _ in evaluator.seen]}", flush=True)
dist.barrier()
dist.destroy_process_group()
