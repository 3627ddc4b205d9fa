"""The paper's real data from a folder: twelve UCI tables and a series, with its choices of preprocessing."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._checks import check_choice
from heedful.datasets._catalogue import UCI_TABLES
from heedful.datasets._folder import read_checked

TEXT = ("keep", "onehot", "codes", "drop")


def load_table(
    name: str,
    data: Any = None,
    *,
    text: str = "keep",
    response: str = "mean",
    facebook: str = "log",
    infrared: str = "keep",
    stock: str = "B",
    communities: str = "no name",
) -> tuple[pd.DataFrame, np.ndarray]:
    """Load one of the paper's twelve UCI tables, checked by its sha256.

    The defaults are the paper's choices where they are stated. Parameters named after a table apply to this table only.
    Missing cells stay missing: the paper fills them with means of the training rows, which are known after the split.

    Parameters
    ----------
    name : str
        Name of the table in the manifest: "servo", "auto_mpg", "concrete_compressive_strength" and nine others.
    data : path or None, default=None
        Folder with ``uci/manifest.json`` and the files listed there; None uses the environment variable HEEDFUL_DATA.
    text : {"keep", "onehot", "codes", "drop"}, default="keep"
        Text columns: as they are; one column per level; codes in the order of the levels; left out.
    response : str, default="mean"
        "mean" averages the responses of a table that has several; a name selects one.
    facebook : {"log", "raw"}, default="log"
        Response of facebook_metrics: log(1 + y), as in the paper, or y.
    infrared : {"keep", "0.79"}, default="keep"
        The single Distance of 79 in infrared_thermography_temperature, a data entry error: kept, or read as 0.79.
    stock : {"B", "C"}, default="B"
        stock_portfolio_performance: weights and original indicators against the mean of the normalised ones, or
        weights and normalised indicators against the mean of the original ones.
    communities : {"no name", "keep"}, default="no name"
        communities_and_crime: without communityname (1828 names of 1994 rows), or with it.

    Returns
    -------
    X : DataFrame of shape (n, p)
        Features.
    y : ndarray of shape (n,)
        Response.

    Raises
    ------
    FileNotFoundError
        If there is no folder, manifest or file; the message says how to get them.
    ValueError
        If the checksum of a file is not that of the manifest.

    References
    ----------
    Craig and Tibshirani, "Supervised learning pays attention", section 3.1. UCI Machine Learning Repository, CC BY 4.0.

    Examples
    --------
    Here with made-up data in the form of Servo:

    >>> import tempfile
    >>> from heedful.datasets import download_tables
    >>> made_up = pd.DataFrame({"motor": list(83 * "AB" + "C"), "screw": "D", "pgain": 3, "vgain": 2, "class": 0.5})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     download_tables(folder, ["servo"], fetch=lambda name: made_up)
    ...     X, y = load_table("servo", folder, text="onehot")
    >>> list(X)
    ['pgain', 'vgain', 'motor_A', 'motor_B', 'motor_C', 'screw_D']
    """
    check_choice("name", name, UCI_TABLES)
    check_choice("text", text, TEXT)
    check_choice("facebook", facebook, ("log", "raw"))
    check_choice("infrared", infrared, ("keep", "0.79"))
    check_choice("stock", stock, ("B", "C"))
    check_choice("communities", communities, ("no name", "keep"))
    frame, about = read_checked(name, data)
    features, targets = list(about["features"]), list(about["all_targets"])
    if name == "stock_portfolio_performance":
        seen, averaged = (targets[:6], targets[6:]) if stock == "B" else (targets[6:], targets[:6])
        features, targets = features + seen, averaged
    if name == "communities_and_crime" and communities == "no name":
        features.remove("communityname")
    if name == "infrared_thermography_temperature" and infrared == "0.79":
        frame["Distance"] = frame["Distance"].replace(79.0, 0.79)
    if check_choice("response", response, ("mean", *targets)) != "mean":
        targets = [response]
    y = frame[targets].mean(axis=1).to_numpy(dtype=float)
    y = np.log1p(y) if name == "facebook_metrics" and facebook == "log" else y
    return encode_text(frame[features], text), y


def load_us_change(data: Any = None) -> pd.DataFrame:
    """Load the paper's time series, checked by its sha256.

    Quarterly changes of US income, production, savings, unemployment and consumption in per cent, 1970 to 2019. The
    paper predicts consumption; :func:`heedful.context.lag_features` adds the past of each quarter.

    Parameters
    ----------
    data : path or None, default=None
        See :func:`load_table`.

    Returns
    -------
    DataFrame of shape (198, 5)
        One row per quarter, which is the index; the response, Consumption, is the last column.

    Raises
    ------
    FileNotFoundError, ValueError
        See :func:`load_table`.

    References
    ----------
    Craig and Tibshirani, "Supervised learning pays attention", section 6.1. Hyndman and Athanasopoulos, R package fpp3.

    Examples
    --------
    Here with made-up data of the same form:

    >>> import tempfile
    >>> from heedful.datasets import download_tables
    >>> names = ["Quarter", "Consumption", "Income", "Production", "Savings", "Unemployment"]
    >>> made_up = pd.DataFrame(0.5, index=range(198), columns=names)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     download_tables(folder, ["us_change"], fetch=lambda name: made_up)
    ...     series = load_us_change(folder)
    >>> list(series)
    ['Income', 'Production', 'Savings', 'Unemployment', 'Consumption']
    """
    frame, about = read_checked("us_change", data)
    return frame.set_index("Quarter")[[*about["features"], *about["all_targets"]]]


def encode_text(frame: pd.DataFrame, text: str) -> pd.DataFrame:
    """Return a frame with its columns of text as asked; missing codes stay missing, missing levels are all zero."""
    names = list(frame.select_dtypes(exclude="number"))
    if text == "onehot":
        return pd.get_dummies(frame, columns=names, dtype=float)
    if text == "codes":
        codes = {name: frame[name].astype("category").cat.codes.where(frame[name].notna()) for name in names}
        return frame.assign(**codes)
    return frame.drop(columns=names) if text == "drop" else frame
