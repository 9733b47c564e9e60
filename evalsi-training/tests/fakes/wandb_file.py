"""Reads back what W&B writes on the disk: blocks of LevelDB's log format, a record each."""

import struct

from wandb.proto import wandb_internal_pb2

BLOCK, HEAD, FIRST, FULL, LAST = 32768, 7, 2, 1, 4


def records(path):
    """Every record of a .wandb file."""
    data = path.read_bytes()
    at, whole = HEAD, b""  # behind the file's own head
    while at + HEAD <= len(data):
        if BLOCK - at % BLOCK < HEAD:  # too little is left of a block for a chunk
            at += BLOCK - at % BLOCK
            continue
        _, size, kind = struct.unpack_from("<IHB", data, at)
        chunk = data[at + HEAD : at + HEAD + size]
        at += HEAD + size
        whole = chunk if kind in (FULL, FIRST) else whole + chunk
        if kind in (FULL, LAST):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(whole)
            yield record


def rows(folder):
    """The history's rows under `evalsi/`, as text by name."""
    found = []
    for path in sorted(folder.rglob("*.wandb")):
        for record in records(path):
            if record.WhichOneof("record_type") == "history":
                row = {_name(item): item.value_json for item in record.history.item}
                found.append({k: v for k, v in row.items() if k.startswith("evalsi/")})
    return [row for row in found if row]


def axes(folder):
    """The step metric of each metric that was defined."""
    return {
        record.metric.name or record.metric.glob_name: record.metric.step_metric
        for path in folder.rglob("*.wandb")
        for record in records(path)
        if record.WhichOneof("record_type") == "metric"
    }


def _name(item):
    return item.key or "/".join(item.nested_key)
