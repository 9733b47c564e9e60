from evalsi.core.plugins.descriptor import Plugin, hookimpl

__distribution__ = "server-fakes"
__pack__ = "server-fakes"


@hookimpl
def evalsi_register_evaluators():
    return [
        Plugin("says", "server_fakes.evaluators:Says", "The number that the completion says."),
        Plugin("matches", "server_fakes.evaluators:Matches", "Whether it is the reference."),
        Plugin("cases", "server_fakes.evaluators:Cases", "How many cases the row has."),
        Plugin("outage", "server_fakes.evaluators:Outage", "An evaluator whose sandbox is away."),
        Plugin("grouped", "server_fakes.evaluators:Grouped", "How large the group is."),
        Plugin("sleeps", "server_fakes.evaluators:Sleeps", "A worker that sleeps so long."),
        Plugin("told", "server_fakes.told:Told", "What the row states."),
        Plugin("logged", "server_fakes.told:Logged", "1, with a line in a file."),
        Plugin("jailed", "server_fakes.evaluators:Jailed", "One that needs a rung."),
    ]
