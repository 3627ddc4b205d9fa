"""What goes wrong in a shell: one line, exit code 2, nothing left behind."""

import os
import pickle

import pytest

pytestmark = pytest.mark.more

TABLE = b"a,b,y\n" + b"".join(b"%d,%d,%d.5\n" % (i, i % 3, i) for i in range(12))


class Evil:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def fit(folder, made, content=TABLE, target="y"):
    (folder / "t.csv").write_bytes(content)
    return ["fit", folder / "t.csv", "--target", target, "--trees", 10, "-o", folder / "out.skops"]


def predict(folder, made, model=None, table=None):
    if model is not None:
        (folder / "m.skops").write_bytes(model)
    if table is not None:
        (folder / "t.csv").write_bytes(table)
    file = made / "regression.skops" if model is None else folder / "m.skops"
    return ["predict", file, made / "new.csv" if table is None else folder / "t.csv", "-o", folder / "out.csv"]


CASES = {
    "missing target": (lambda folder, made: fit(folder, made, target="price"), ["t.csv", "'price'", "--target"]),
    "missing column": (
        lambda folder, made: predict(folder, made, table=(made / "new.csv").read_bytes().replace(b"dose", b"dosis")),
        ["t.csv", "'dose'"],
    ),
    "empty file": (lambda folder, made: fit(folder, made, b""), ["t.csv", "empty"]),
    "not UTF-8": (lambda folder, made: fit(folder, made, TABLE + b"\xff\xfe,1,2\n"), ["t.csv", "UTF-8"]),
    "corrupt model": (
        lambda folder, made: predict(folder, made, model=(made / "regression.skops").read_bytes()[:5000]),
        ["m.skops"],
    ),
    "malicious pickle": (
        lambda folder, made: predict(folder, made, model=pickle.dumps(Evil(folder / "harm"))),
        ["m.skops", "Pickle files are never opened"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_one_line_and_leaves_no_file(refused, made, tmp_path, case):
    command, naming = CASES[case]
    refused(*command(tmp_path, made), naming=naming)
