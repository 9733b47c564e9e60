"""What `evalsi rewards score --evidence` would print of each batch; as a command, scored here.

python printed.py < batches.json, a list of [spec, rollouts]
"""

import json
import sys

from evalsi.core import RewardError
from evalsi.core.reward import load_reward
from evalsi.core.reward.rows import provenance, row_of


def printed(reward, rollouts):
    """The lines and who computed them, or the error and its causes."""
    try:
        found = reward.score(rollouts)
    except RewardError as error:
        return [str(error), [[*cause[:2], repr(cause[2])] for cause in error.causes]]
    lines = [json.dumps(row_of(one, evidence=True)) for one in found]
    return [lines, [json.dumps(provenance(one)) for one in found]]


if __name__ == "__main__":
    batches = json.load(sys.stdin)
    json.dump([printed(load_reward(spec), rollouts) for spec, rollouts in batches], sys.stdout)
