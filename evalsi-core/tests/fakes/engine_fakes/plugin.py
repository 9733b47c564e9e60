"""The fakes as a pack named `fakes`."""

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__distribution__ = "engine-fakes"
__pack__ = "fakes"


@hookimpl
def evalsi_register_evaluators():
    return [
        Plugin("length", "engine_fakes.quiet:Length", "The output's length."),
        Plugin("says", "engine_fakes.reward:Says", "The number that the output says."),
        Plugin("outage", "engine_fakes.reward:Outage", "An evaluator whose sandbox is away."),
        Plugin("grouped", "engine_fakes.quiet:Grouped", "The size of the record's group."),
        Plugin("sleeps", "engine_fakes.quiet:Sleeps", "A worker that sleeps so many seconds."),
        Plugin("slow", "engine_fakes.reward:Slow", "A worker that takes its time."),
    ]
