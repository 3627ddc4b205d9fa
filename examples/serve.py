"""A fitted model behind HTTP, with FastAPI: ``pip install fastapi uvicorn``.

``HEEDFUL_MODEL=model.skops uvicorn --app-dir examples --factory serve:load_app`` serves a saved model.
``python examples/serve.py`` fits one, serves it on a free port of this machine, asks itself and prints the latencies.
POST a list of rows to ``/predict``, ``/explain`` (contributions to each prediction) or ``/models`` (the models
themselves, for :func:`portable.predict_plain`).
"""

import argparse
import json
import os
import threading
import time
import urllib.request
from typing import Annotated, Any

import numpy as np
import pandas as pd
import uvicorn
from fastapi import Body, FastAPI, Request
from fastapi.responses import JSONResponse
from sklearn.datasets import load_wine

import heedful

Rows = Annotated[list[dict[str, int | float | bool | str | None]], Body(min_length=1, max_length=1000)]


def make_app(model: heedful.AttentionLasso) -> FastAPI:
    """Return an application that answers for a model."""
    app = FastAPI(title="heedful")
    names = model.feature_names_in_

    def table(rows: list[dict[str, Any]]) -> pd.DataFrame:
        """Return rows as a table; a cell that is null or left out is missing."""
        X = pd.DataFrame(rows)
        if set(X.columns) != set(names):
            raise ValueError(f"Rows must have the columns {', '.join(names)}, got {', '.join(X.columns)}.")
        return X[names]

    @app.exception_handler(ValueError)
    def refuse(_: Request, error: ValueError) -> JSONResponse:
        """Answer 422 with the reason."""
        return JSONResponse({"error": str(error)}, status_code=422)

    # "def", not "async def": FastAPI then answers in threads, and one request does not hold up the others

    @app.post("/predict")
    def predict(rows: Rows) -> dict[str, Any]:
        """Return predictions."""
        return {"predictions": model.predict(table(rows)).tolist()}

    @app.post("/explain")
    def explain(rows: Rows) -> dict[str, Any]:
        """Return predictions with their three largest contributions."""
        e = model.explain(table(rows))
        top = e.top_features(3)[["feature", "contribution"]]
        contributions = [top.loc[query].to_dict("records") for query in e.index]
        return {"predictions": e.prediction.tolist(), "mean": e.base_value, "contributions": contributions}

    @app.post("/models")
    def models(rows: Rows) -> dict[str, Any]:
        """Return the model of each row, which predicts without heedful."""
        return model.local_models(table(rows)).to_dict()

    return app


def load_app() -> FastAPI:
    """Return the application of the model that the environment variable HEEDFUL_MODEL names."""
    return make_app(heedful.load_model(os.environ["HEEDFUL_MODEL"]).set_params(n_jobs=1))


def ask(url: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer to some rows."""
    request = urllib.request.Request(url, json.dumps(rows).encode(), {"Content-Type": "application/json"})  # noqa: S310 - our own
    with urllib.request.urlopen(request) as reply:  # noqa: S310 - the same
        return json.loads(reply.read())


def measure(url: str, rows: list[dict[str, Any]], times: int) -> np.ndarray:
    """Return milliseconds of an answer: the median and the 95th percentile."""
    ask(url, rows)
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        ask(url, rows)
        spent.append(1000 * (time.perf_counter() - start))
    return np.quantile(spent, [0.5, 0.95])


def main() -> None:
    """Fit half of the wines, serve the model, compare its answers and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=100, help="requests to measure")
    args = parser.parse_args()
    wine = load_wine(as_frame=True).data
    X, y = wine.drop(columns="proline"), wine["proline"]
    model = heedful.AttentionLasso(random_state=0, n_jobs=1).fit(X.iloc[::2], y.iloc[::2])
    server = uvicorn.Server(uvicorn.Config(make_app(model), port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    url, rows = f"http://127.0.0.1:{port}", X.iloc[1::2].to_dict("records")
    same = np.array_equal(ask(f"{url}/predict", rows)["predictions"], model.predict(X.iloc[1::2]))
    print(f"answers are {'those' if same else 'NOT those'} of the model in this process")
    for path, n_rows in (("/predict", 1), ("/predict", 50), ("/models", 1), ("/explain", 1)):
        middle, late = measure(url + path, rows[:n_rows], args.times)
        print(f"{path} of {n_rows} rows: median {middle:.1f} ms, 95th percentile {late:.1f} ms")
    server.should_exit = True


if __name__ == "__main__":
    main()
