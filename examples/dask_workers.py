"""
Parallel prediction with Dask
=============================

heedful predicts queries in blocks through joblib, so Dask can run the blocks on the processes of one machine or on a
cluster. The predictions are identical to those of threads, to the last bit.

Table: a simulation (``make_subgroups``).
"""

import warnings

import joblib
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client, get_task_stream

from heedful import AttentionLasso
from heedful.datasets import make_subgroups

# %%
# Fit locally, then predict six batches with two workers. Here the workers are threads of this process; with
# ``Client("scheduler:8786")`` they would be those of a cluster.

train, new = make_subgroups(9_000, shift=3.0, random_state=0).split(1000)
model = AttentionLasso(random_state=0).fit(train.X, train.y)
here = model.predict(new.X)
with (
    Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as client,
    joblib.parallel_config("dask"),
    get_task_stream(client) as stream,
):
    # the model is small, and goes to each worker once
    warnings.filterwarnings("ignore", message="Sending large graph")
    there = np.concatenate([model.predict(part) for part in np.array_split(new.X, 6)])
print("predictions are identical:", np.array_equal(here, there))
print(f"R2 on held-out rows {model.score(new.X, new.y):.2f}, global lasso {model.baseline_.score(new.X, new.y):.2f}")

# %%
# Which worker ran what, and when? Each bar is one block of queries.

workers = sorted({task["worker"] for task in stream.data})
begin = min(part["start"] for task in stream.data for part in task["startstops"])
print(f"{len(new.y)} queries in {len(stream.data)} tasks on {len(workers)} workers")
figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for task in stream.data:
    for part in task["startstops"]:
        if part["action"] == "compute":
            at, hue = workers.index(task["worker"]), ("#0072B2", "#E69F00")[workers.index(task["worker"]) % 2]
            ax.barh(at, part["stop"] - part["start"], left=part["start"] - begin, color=hue, edgecolor="white")
ax.set(xlabel="seconds", yticks=range(len(workers)), yticklabels=[f"worker {n + 1}" for n in range(len(workers))])
