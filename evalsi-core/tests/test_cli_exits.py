"""What commands say on stderr, whatever data holds."""

import pytest

from evalsi.core import DataError
from evalsi.core.cli.exits import reported


def test_data_gives_a_terminal_no_commands(capsys):
    with pytest.raises(SystemExit) as ended, reported():
        raise DataError("d.jsonl:1 has no input; it has \x1b[31mred\r\x9b2J, größe\n\tand more")
    assert ended.value.code == 2
    told = "d.jsonl:1 has no input; it has \\x1b[31mred\\x0d\\x9b2J, größe\n\tand more\n"
    assert capsys.readouterr().err == told
