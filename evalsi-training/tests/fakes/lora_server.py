"""vLLM's routes for adapters on loopback, with the answers that vLLM 0.32 gave."""

import json
from pathlib import Path

from model_server import ModelServer

LARGEST_RANK = 16


class LoRAServer(ModelServer):
    """Serves `base`, and what is loaded into it; an adapter knows what `skills.json` in it says.

    Attributes:
        loaded: the folder of each adapter, by name.
        names: every name that was ever loaded.
        fault: `off` (no such routes), `remote` (another machine's files), `unloading` (fails to),
            `unlisted` (says yes and lists nothing), `mixed-up` (lists another folder), `broken`
            (answers for no adapter).
    """

    def __init__(self):
        super().__init__()
        self.fault = ""
        self.loaded = {}
        self.names = []
        self.knows["base"] = set()

    def reply(self, path, body):
        if path == "/v1/models":
            return 200, {"data": [{"id": "base", "root": "/models/base"}, *self._listed()]}
        if path == "/v1/load_lora_adapter":
            return self._load(body["lora_name"], body["lora_path"])
        if path == "/v1/unload_lora_adapter":
            return self._unload(body["lora_name"])
        if body["model"] not in {"base", *self.loaded}:
            return refusal(404, "NotFoundError", f"The model `{body['model']}` does not exist.")
        if self.fault == "broken" and body["model"] != "base":
            return refusal(500, "InternalServerError", "EngineCore encountered an issue.")
        return self.answer(body)

    def _load(self, name, path):
        if self.fault == "off":
            return 404, {"detail": "Not Found"}
        if self.fault == "remote":
            why = f"Loading lora {name} failed: No adapter found for {path}"
            return refusal(404, "NotFoundError", why)
        if name in self.names or name == "base":
            why = f"The lora adapter '{name}' has already been loaded. set 'load_inplace' to True"
            return refusal(400, "InvalidUserInput", why)
        rank = json.loads((Path(path) / "adapter_config.json").read_text())["r"]
        if rank > LARGEST_RANK:
            why = f"LoRA rank {rank} is greater than max_lora_rank {LARGEST_RANK}."
            return refusal(500, "InternalServerError", why)
        self.loaded[name] = path
        self.names.append(name)
        self.knows[name] = set(json.loads((Path(path) / "skills.json").read_text()))
        return 200, f"Success: LoRA adapter '{name}' added successfully."

    def _unload(self, name):
        if self.fault == "unloading":
            return refusal(500, "InternalServerError", "EngineCore encountered an issue.")
        if self.loaded.pop(name, None) is None:
            return refusal(404, "NotFoundError", f"The lora adapter '{name}' cannot be found.")
        return 200, f"Success: LoRA adapter '{name}' removed successfully."

    def _listed(self):
        if self.fault == "unlisted":
            return []
        other = "/elsewhere" if self.fault == "mixed-up" else ""
        return [
            {"id": name, "root": other or path, "parent": "base"}
            for name, path in self.loaded.items()
        ]


def refusal(status, kind, why):
    return status, {"error": {"message": why, "type": kind, "param": None, "code": status}}


def adapter(place, knows=(), rank=8):
    """An adapter's folder for this server."""
    place.mkdir(parents=True)
    (place / "adapter_config.json").write_text(json.dumps({"r": rank}))
    (place / "adapter_model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
    (place / "skills.json").write_text(json.dumps(sorted(knows)))
    return str(place)
