"""The pack `fakes`: its descriptors."""

from evalsi.core.plugins import Plugin, hookimpl

pack = "fakes"
distribution = "spec-fakes"
version = "1.2.3"


@hookimpl
def evalsi_register_evaluators():
    sound = {
        "shout": "Shout",
        "length": "Length",
        "runs-code": "RunsCode",
        "judged": "Judged",
        "judged-slowly": "JudgedSlowly",
        "judged-alone": "JudgedAlone",
        "many": "Many",
        "touchy": "Touchy",
        "word-list": "WordList",
    }
    broken = {
        "silent": "Silent",
        "two-ways": "TwoWays",
        "async-by-mistake": "AsyncByMistake",
        "sync-by-mistake": "SyncByMistake",
        "loose-params": "LooseParams",
        "odd-params": "OddParams",
        "reads-text": "ReadsText",
        "reads-unknown": "ReadsUnknown",
        "odd-needs": "OddNeeds",
        "odd-metrics": "OddMetrics",
        "odd-bounded": "OddBounded",
        "odd-batch": "OddBatch",
        "empty-batch": "EmptyBatch",
        "odd-patience": "OddPatience",
        "odd-paths": "OddPaths",
        "odd-about": "OddAbout",
        "raising-reads": "RaisingReads",
        "no-class": "a_function",
    }
    return [
        *(Plugin(name, f"spec_fakes.sound:{at}", f"{at}.") for name, at in sound.items()),
        *(Plugin(name, f"spec_fakes.broken:{at}") for name, at in broken.items()),
        Plugin("unimportable", "spec_fakes.unimportable:Nothing"),
        Plugin("absent", "spec_fakes.sound:Absent"),
    ]
