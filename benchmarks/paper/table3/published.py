"""The paper's table 3: its settings, and the figures that it prints."""

import pandas as pd

ROWS, PRINTED = 300, "as printed"
RIVALS = ["LightGBM", "XGBoost", "forest", "KNN"]
# arXiv 2512.09912, table 3: mean and standard error of 100 simulations
PAPER = pd.DataFrame(
    {
        "1": [53.0, 0.7, 49.1, 0.7, 49.0, 0.7, 52.2, 0.5, 56.9, 0.5],
        "2": [1.9, 0.4, -15.5, 1.3, -36.4, 2.0, -18.1, 1.3, -22.2, 1.6],
        "3": [5.8, 0.8, 0.2, 1.2, -8.5, 1.8, 1.2, 1.3, -15.9, 2.0],
        "4": [11.0, 0.9, 6.2, 0.7, 2.3, 1.5, 11.5, 0.6, 11.5, 0.8],
    },
    index=pd.MultiIndex.from_product([["attention", *RIVALS], ["mean", "error"]]),
).T
