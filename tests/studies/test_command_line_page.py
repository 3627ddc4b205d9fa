"""The page of the command line shows what the commands print."""

import re
import shlex
from pathlib import Path

from tests.cli.printed import masked

from heedful.cli import main

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_of_the_command_line_shows_what_is_printed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], {})  # noqa: S102 - our own page
    shown = re.findall(r"^    \$ heedful (.*)\n((?:    [^$\n].*\n)*)", page, re.MULTILINE)
    assert len(shown) >= 4
    for command, expected in shown:
        main(shlex.split(command))
        printed = capsys.readouterr()
        assert masked(printed.out + printed.err) == masked(expected), command
