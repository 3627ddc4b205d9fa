"""
Saving a model, and answering one row at a time
===============================================

Fit once, write a file, read it in another process and answer queries as they come, each with its reasons.

Table: a simulation with a known truth, `make_subgroups`.
"""

import json
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso, load_model, save_model
from heedful.datasets import make_subgroups
from heedful.saving import read_header

# %%
# A file is one of skops, not a pickle: no code that came with it is run. Notes of your own go along.

train, test = make_subgroups(2000, shift=3.0, random_state=0).split(1000)
model = AttentionLasso(random_state=0).fit(train.X, train.y)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.skops"
    save_model(model, path, notes={"table": "subgroups of May"})
    served = load_model(path)
    header = read_header(path)
    print(f"{path.stat().st_size / 1e6:.1f} MB, written by heedful {header['heedful']}, notes: {header['table']}")
print("predicts the same to the last bit:", np.array_equal(served.predict(test.X), model.predict(test.X)))

# %%
# What a service would send back for one row: a prediction, an interval, reasons, and the rows behind it.


def answer(row):
    """Return the answer to one query as JSON."""
    e = served.explain(row[None])
    low, high = served.predict_interval(row[None])[0]
    reasons = e.top_features(3)[["feature", "contribution"]].round(3).to_dict("records")
    rows = e.top_rows(3)[["row", "weight"]].round(3).to_dict("records")
    return json.dumps(
        {"prediction": round(float(e.prediction.iloc[0]), 3), "low": round(low, 3), "high": round(high, 3)}
        | {"reasons": reasons, "rows": rows}
    )


print(answer(test.X[0]))

# %%
# How long does an answer take? The first explanation prepares contributions for all later ones, and is not counted.


def clock(ask):
    """Return milliseconds of single calls."""
    times = []
    for row in test.X[:40]:
        begin = time.perf_counter()
        ask(row)
        times.append(1000 * (time.perf_counter() - begin))
    return np.array(times)


spent = {"predict": clock(lambda row: served.predict(row[None])), "answer with reasons": clock(answer)}
figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
edges = np.geomspace(min(v.min() for v in spent.values()), max(v.max() for v in spent.values()), 40)
for (name, values), colour in zip(spent.items(), ("#0072B2", "#E69F00"), strict=True):
    ax.hist(values, edges, color=colour, alpha=0.8, label=f"{name}: median {np.median(values):.0f} ms")
    print(f"{name}: median {np.median(values):.1f} ms, 95 % below {np.quantile(values, 0.95):.1f} ms")
ax.set(xscale="log", xlabel="milliseconds for one row, on the machine that built this page", ylabel="calls")
ax.legend(frameon=False)

# %%
# Many rows at once are far cheaper each: a call has a fixed cost.

begin = time.perf_counter()
served.predict(test.X)
print(f"1,000 rows in one call: {1000 * (time.perf_counter() - begin) / len(test.X):.2f} ms each")
