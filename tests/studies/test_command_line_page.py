"""The page of the command line shows what the commands print."""

import re
import shlex
from pathlib import Path

from sklearn.datasets import load_wine
from tests.cli.printed import masked

from heedful.cli import main

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_of_the_command_line_shows_what_is_printed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    load_wine(as_frame=True).frame.to_csv("wine.csv", index=False)
    page = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    shown = re.findall(r"^    \$ heedful (.*)\n((?:    [^$\n].*\n)*)", page, re.MULTILINE)
    assert len(shown) >= 4
    for command, expected in shown:
        main(shlex.split(command))
        printed = capsys.readouterr()
        assert masked(printed.out + printed.err) == masked(expected), command
