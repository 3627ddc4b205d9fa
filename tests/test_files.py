"""Files appear whole or not at all."""

import os
import re
import secrets
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import heedful
from heedful._files import write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="permissions, links, devices and signals of POSIX")


@pytest.fixture(params=["with files without names", "without"])
def system(request, monkeypatch):
    if request.param == "without":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)


def nameless(folder):
    """Return whether the system has files without names here."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
    except (AttributeError, OSError):
        return False
    return True


@pytest.mark.parametrize("kind", [str, os.fspath, lambda path: path])
def test_a_file_is_what_was_written(system, tmp_path, kind):
    write_whole(kind(tmp_path / "f"), lambda file: file.write(b"first"))
    write_whole(kind(tmp_path / "f"), lambda file: file.write(b"second"))
    assert (tmp_path / "f").read_bytes() == b"second"
    assert os.listdir(tmp_path) == ["f"]


@pytest.mark.parametrize("how", [heedful.save_model, heedful.report.write])
def test_a_missing_folder_is_named_before_any_work(tmp_path, how):
    folder = tmp_path / "not" / "there"
    with pytest.raises(FileNotFoundError, match=rf"there is no folder '{re.escape(str(folder))}'\. Make it first"):
        how(None, folder / "f")


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, ValueError])
def test_an_error_in_mid_write_leaves_the_old_file_and_no_other(system, tmp_path, error):
    def fail(file):
        file.write(b"half")
        raise error

    (tmp_path / "f").write_bytes(b"old")
    with pytest.raises(error):
        write_whole(tmp_path / "f", fail)
    assert (tmp_path / "f").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["f"]


@pytest.mark.parametrize("step", ["replace", "fsync"])
def test_a_step_that_fails_leaves_the_old_file_and_no_other(system, tmp_path, monkeypatch, step):
    def fail(*arguments):
        raise OSError("no space left")

    (tmp_path / "f").write_bytes(b"old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="no space"):
        write_whole(tmp_path / "f", lambda file: file.write(b"new"))
    assert (tmp_path / "f").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["f"]


def test_the_old_file_is_there_until_the_new_one_is_complete(system, tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    write_whole(path, lambda file: file.write(path.read_bytes() + b" and new"))
    assert path.read_bytes() == b"old and new"


@posix
def test_permissions_and_links_are_kept(system, tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, lambda file: file.write(b"new"))
    assert link.is_symlink()
    assert (real.read_bytes(), stat.S_IMODE(real.stat().st_mode)) == (b"new", 0o640)


@posix
def test_a_new_file_has_the_permissions_of_any_other(system, tmp_path):
    (tmp_path / "other").write_text("")
    write_whole(tmp_path / "f", lambda file: file.write(b"new"))
    assert (tmp_path / "f").stat().st_mode == (tmp_path / "other").stat().st_mode


@posix
def test_what_is_no_file_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(FileExistsError, match="must be a file"):
            write_whole(path, lambda file: file.write(b"new"))
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_missing_folder_is_an_error_that_names_it(system, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write_whole(tmp_path / "nowhere" / "f", lambda file: file.write(b"new"))


def test_a_name_as_long_as_names_may_be_is_written(system, tmp_path):
    write_whole(tmp_path / ("f" * 255), lambda file: file.write(b"new"))
    assert os.listdir(tmp_path) == ["f" * 255]


KILLED = """
import sys, time
from heedful._files import write_whole
def half(file):
    file.write(b"half" * 100_000)
    file.flush()
    print("half", flush=True)
    time.sleep(60)
write_whole(sys.argv[1], half)
"""


@pytest.mark.more
@posix
def test_a_killed_process_leaves_the_old_file(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    with subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "half\n"
        process.send_signal(signal.SIGKILL)
    assert path.read_bytes() == b"old"
    if nameless(tmp_path):
        assert os.listdir(tmp_path) == ["f"]


@posix
def test_every_read_sees_a_whole_file_while_threads_write_to_one_path(system, tmp_path):
    path, contents = tmp_path / "f", [bytes([letter]) * 300_000 for letter in b"abc"]
    write_whole(path, lambda file: file.write(contents[0]))

    def write(content):
        for _ in range(20):
            write_whole(path, lambda file: file.write(content))

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(write, content) for content in contents]
        seen = [path.read_bytes() in contents]
        while not all(one.done() for one in running):
            seen.append(path.read_bytes() in contents)
        assert [one.exception() for one in running] == [None] * 3
    assert all(seen)
    assert os.listdir(tmp_path) == ["f"]


@posix
def test_nobody_changes_the_mask_of_other_threads(system, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("other threads would make files for everybody"))
    write_whole(tmp_path / "f", lambda file: file.write(b"new"))


@posix
def test_a_planted_link_is_never_written_through(system, tmp_path, monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda _: "guessed")
    (tmp_path / "victim").write_bytes(b"old")
    (tmp_path / ".guessed.part").symlink_to(tmp_path / "victim")
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "f", lambda file: file.write(b"new"))
    assert (tmp_path / "victim").read_bytes() == b"old"
    assert (tmp_path / ".guessed.part").is_symlink()


@posix
def test_a_secret_file_is_secret_while_it_is_written(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    (tmp_path / "f").write_bytes(b"old")
    (tmp_path / "f").chmod(0o600)

    def write(file):
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600

    write_whole(tmp_path / "f", write)


def test_no_file_is_written_but_by_the_one_writer():
    root = Path(heedful.__file__).parent
    writes = re.compile(
        r"write_(text|bytes)\(|savefig\(|\.open\([^)]*[\"'][wax]b?|to_(csv|parquet|pickle)\((path|self|place)"
    )
    found = [path.name for path in root.rglob("*.py") if writes.search(path.read_text(encoding="utf-8"))]
    assert not found
