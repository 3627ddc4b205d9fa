"""Are clusters of models worth the name: how many, how large, and what they explain, on the development tables.

    python -m benchmarks.clusters [--runs 3] [--jobs -1] [--data DIR] [--fresh] [--smoke]

A random half of each table is fitted, the other half explained and clustered: with the number chosen by the data, and
for comparison into five clusters by coefficients. Writes results.md beside this file; of fewer splits, and with
``--smoke``, under build/. Each split is kept, so an interrupted run goes on where it stopped.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import pages, study
from benchmarks.league.tables import read_numbers
from benchmarks.tables import data_folder, halves, stand_in
from heedful import AttentionLasso
from heedful.explain import Clusters

HERE, RUNS, PACKAGES = Path(__file__).parent, 3, ("heedful",)
# Clusters below this size tell little; no more than so many queries should be in such, or in none.
SMALL, BAR = 5, 0.05
CHOSEN, FIVE = "chosen", "five by coefficients"


def measure(groups: Clusters) -> dict[str, float]:
    """Return how many clusters there are, and the shares of queries in small ones, in none and in the largest."""
    sizes = groups.named["size"]
    n_query = len(groups.labels)
    return {
        "clusters": len(sizes),
        "in small": float(sizes[sizes < SMALL].sum() / n_query),
        "others": float((groups.labels == -1).mean()),
        "largest": float(sizes.max() / n_query),
        "explained": groups.explained,
    }


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return what the clusters of a split's test half are like."""
    train, test = halves(len(y), seed)
    e = AttentionLasso(random_state=seed).fit(X.iloc[train], y[train]).explain(X.iloc[test])
    return {CHOSEN: measure(e.clusters()), FIVE: measure(e.clusters(SMALL, distance="coef"))}


def tell(found: pd.DataFrame) -> str:
    """Return the table of all tables, and how many of them hold the bar."""
    mean, rows = found.groupby("table").mean(), []
    for title in mean.index:
        own, five = (mean.loc[title].xs(name, level=1) for name in (CHOSEN, FIVE))
        shares = (own["in small"], own["others"], own["largest"], own["explained"], five["in small"], five["largest"])
        rows.append([title, f"{own['clusters']:.1f}", *(f"{100 * share:.1f}" for share in shares)])
    head = ("table", "clusters", "in small ones (%)", "in none (%)", "in the largest (%)", "explained (%)",
            "five: in small ones (%)", "five: in the largest (%)")  # fmt: skip
    worst = (found["in small"] + found["others"]).groupby("table").max()
    held = (worst <= BAR).sum()
    said = (
        f"In every split no more than one query in twenty sits in a cluster smaller than {SMALL} or in none: on "
        f"{held[CHOSEN]} of {len(rows)} tables with the number chosen (worst split {100 * worst[CHOSEN].max():.1f} %), "
        f"on {held[FIVE]} with five clusters (worst {100 * worst[FIVE].max():.1f} %)."
    )
    return pages.draw_table(head, rows) + "\n\n" + said


def write_about(options: argparse.Namespace, tables: dict[str, study.Table]) -> str:
    """Return what leads to the page."""
    return (
        f"{len(tables)} development tables, means of {options.runs} random halves, the other halves as queries. "
        "`explained` is how much of the squared differences between models is between clusters; it is 0 where models "
        f"differ without being in clusters, or not at all. {pages.stamp(*PACKAGES)}. Run again: `make clusters`."
    )


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, add=add_options)
    tables = {"stand-in": stand_in(200, 0)} if options.smoke else read_numbers(data_folder(options.data))
    found = study.run(study.Study(HERE, one_split, PACKAGES), tables, options)
    about = write_about(options, tables)
    study.publish(HERE, options, pages.join("Clusters of models", about, tell(found)))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the tables."""
    parser.add_argument("--data", help="folder that holds uci/manifest.json")


if __name__ == "__main__":
    main()
