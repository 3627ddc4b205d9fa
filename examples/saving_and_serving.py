"""
Saving a model and serving predictions
======================================

Fit once, save the model to a file, load it in another process, and answer single queries with a prediction, an interval
and the reasons.

Table: a simulation (``make_subgroups``).
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
# ``save_model`` writes a skops file, not a pickle, so loading it does not run code from the file. You can store notes
# with the model.

train, test = make_subgroups(2000, shift=3.0, random_state=0).split(1000)
model = AttentionLasso(random_state=0).fit(train.X, train.y)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.skops"
    save_model(model, path, notes={"table": "subgroups of May"})
    served = load_model(path)
    header = read_header(path)
    print(f"{path.stat().st_size / 1e6:.1f} MB, written by heedful {header['heedful']}, notes: {header['table']}")
print("predictions of the loaded model are identical:", np.array_equal(served.predict(test.X), model.predict(test.X)))

# %%
# What a service could return for one row: the prediction, an interval, the largest contributions, and the training rows
# with the largest weights.


def answer(row):
    """Return the answer to one query as JSON."""
    e = served.explain(row[None])
    low, high = served.predict_interval(row[None])[0]
    reasons = e.top_features(3)[["feature", "contribution"]].round(3).to_dict("records")
    rows = e.top_rows(3)[["row", "weight"]].round(3).to_dict("records")
    return json.dumps(
        {"prediction": round(float(e.prediction.iloc[0]), 3), "low": round(low, 3), "high": round(high, 3)}
        | {"reasons": reasons, "rows": rows},
        indent=1,
    )


print(answer(test.X[0]))

# %%
# How long does one answer take? The first explanation prepares the following ones and is not counted.


def clock(ask):
    """Return milliseconds of single calls."""
    times = []
    for row in test.X[:40]:
        begin = time.perf_counter()
        ask(row)
        times.append(1000 * (time.perf_counter() - begin))
    return np.array(times)


spent = {"prediction": clock(lambda row: served.predict(row[None])), "prediction with reasons": clock(answer)}
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
edges = np.geomspace(min(v.min() for v in spent.values()), max(v.max() for v in spent.values()), 40)
for (name, values), colour in zip(spent.items(), ("#0072B2", "#E69F00"), strict=True):
    ax.hist(values, edges, color=colour, alpha=0.8, label=f"{name}: median {np.median(values):.0f} ms")
    print(f"{name}: median {np.median(values):.1f} ms, 95th percentile {np.quantile(values, 0.95):.1f} ms")
ax.set(xscale="log", xlabel="milliseconds per row, on the machine that built this page", ylabel="calls")
ticks = [tick for tick in (2, 5, 10, 20, 50, 100, 200, 500, 1000) if edges[0] < tick < edges[-1]]
ax.set_xticks(ticks, labels=ticks)
ax.minorticks_off()
ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1))

# %%
# Each call has a fixed cost, so predicting many rows in one call is much faster per row.

begin = time.perf_counter()
served.predict(test.X)
print(f"1,000 rows in one call: {1000 * (time.perf_counter() - begin) / len(test.X):.2f} ms per row")
