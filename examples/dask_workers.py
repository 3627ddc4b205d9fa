"""
Many queries on several workers, with Dask
==========================================

Blocks of queries go through joblib, so Dask can run them: on the processes of this machine or on a cluster. Numbers are
those of threads, to the last bit.

Table: a simulation with a known truth, `make_subgroups`.
"""

import warnings

import joblib
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client, get_task_stream

from heedful import AttentionLasso
from heedful.datasets import make_subgroups

# %%
# Fit here, predict there, as queries come in six parts. Two workers are threads of this process, so that the page
# builds anywhere; ``Client("scheduler:8786")`` would be a cluster.

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
print("the same to the last bit:", np.array_equal(here, there))

# %%
# Which worker did what, and when: a bar is a block of queries of one part.

workers = sorted({task["worker"] for task in stream.data})
begin = min(part["start"] for task in stream.data for part in task["startstops"])
figure, axes = plt.subplots(1, 2, figsize=(10.5, 3.2), layout="constrained", width_ratios=[1.7, 1])
for task in stream.data:
    for part in task["startstops"]:
        if part["action"] == "compute":
            at, hue = workers.index(task["worker"]), ("#0072B2", "#E69F00")[workers.index(task["worker"]) % 2]
            axes[0].barh(at, part["stop"] - part["start"], left=part["start"] - begin, color=hue, edgecolor="white")
axes[0].set(xlabel="seconds", yticks=range(len(workers)), yticklabels=[f"worker {n + 1}" for n in range(len(workers))])
print(f"{len(new.y)} queries in {len(stream.data)} tasks on {len(workers)} workers")

# right: predictions against the truth without noise
axes[1].hexbin(new.signal, there, gridsize=45, cmap="viridis", mincnt=1)
axes[1].axline((0, 0), slope=1, color="black", linewidth=0.8)
axes[1].set(xlabel="truth", ylabel="prediction")
print(f"R2 {model.score(new.X, new.y):.2f}, one lasso {model.baseline_.score(new.X, new.y):.2f}")
