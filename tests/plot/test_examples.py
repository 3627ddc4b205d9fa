"""Both examples draw what they promise."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_every_picture_is_drawn_into_a_folder(small, tmp_path):
    spec = importlib.util.spec_from_file_location("figures", EXAMPLES / "figures.py")
    figures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(figures)
    files = figures.draw(small, tmp_path / "new")
    assert len(files) == 9
    assert all(file.stat().st_size > 1000 for file in files)


def test_the_figure_of_the_paper_is_one_file(rng, tmp_path):
    folder = tmp_path / "uci"
    folder.mkdir()
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["weight", "power"])
    table = table.assign(model_year=70, origin=1 + np.arange(60) % 3, car_name="car")
    table["mpg"] = table["weight"] * np.sign(table["power"])
    table.to_csv(folder / "auto_mpg.csv", index=False)
    about = {"auto_mpg": {"file": "auto_mpg.csv", "features": ["weight", "power", "model_year", "origin"]}}
    (folder / "manifest.json").write_text(json.dumps(about), encoding="utf-8")
    command = [sys.executable, EXAMPLES / "auto_mpg_figure.py", "--data", tmp_path, "-o", tmp_path / "out.png"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.png").stat().st_size > 1000
