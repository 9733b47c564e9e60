"""The text with which a zygote's interpreter starts; its code is sent to it, compiled already.

To compile it there would leave a quarter of its memory in rags, which every fork copies.
"""

import marshal
import os
import sys
import types

if __name__ == "__main__":
    codes, lines = marshal.loads(os.read(int(sys.argv[1]), 1 << 20))  # noqa: S302 - ours
    for name, code in codes.items():
        sys.modules[name] = types.ModuleType(name)
        exec(code, sys.modules[name].__dict__)  # noqa: S102 - likewise
    holder = sys.modules["evalsi_sandbox.namespaced.zygote"].main(lines)
    while (life := holder.next()) is None:
        pass
    ended, raised = 0, None
    try:
        life.begin()
        exec(life.code, life.names)  # noqa: S102 - what this process is for
    except BaseException as error:  # noqa: BLE001 - shown as the interpreter shows it
        raised = error
    if raised is not None:  # no longer while it is handled: a hook's own error has no context
        ended = life.failed(raised)
        raised = None
    life.finish(ended)
