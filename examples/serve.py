"""Serve a fitted model over HTTP with Python's own server, and measure the latency.

``python examples/serve.py`` fits a model, serves it on a free local port, sends requests and prints latencies;
``--port 8000`` serves until Ctrl-C. POST a list of rows to ``/predict``, ``/explain`` (contributions to each
prediction) or ``/models`` (the models themselves, for :func:`portable.predict_plain`).
"""

import argparse
import json
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

import heedful

MOST_BYTES = 1_000_000


def answer(model: heedful.AttentionLasso, path: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer of a path for some rows, ready for JSON."""
    X = pd.DataFrame(rows, columns=model.feature_names_in_)
    if path == "/predict":
        return {"predictions": model.predict(X).tolist()}
    if path == "/models":
        return model.local_models(X).to_dict()
    if path == "/explain":
        e = model.explain(X)
        top = e.top_features(3)[["feature", "contribution"]]
        contributions = [top.loc[query].to_dict("records") for query in e.index]
        return {"predictions": e.prediction.tolist(), "start": e.base_value, "contributions": contributions}
    raise ValueError(f"`path` must be /predict, /explain or /models, got {path}.")


def make_server(model: heedful.AttentionLasso, port: int) -> ThreadingHTTPServer:
    """Return a server of a model on this machine; port 0 takes a free one."""

    class Handler(BaseHTTPRequestHandler):
        """Answers one request."""

        protocol_version = "HTTP/1.1"
        # head and body leave as two packets; waiting for more of them costs 40 ms
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            """Answer rows with predictions, or an error with its reason."""
            try:
                size = int(self.headers.get("Content-Length", 0))
                if size > MOST_BYTES:
                    raise ValueError(f"A request must have at most {MOST_BYTES} bytes, got {size}. Send fewer rows.")
                status, told = 200, answer(model, self.path, json.loads(self.rfile.read(size)))
            except (ValueError, TypeError, KeyError) as error:
                status, told = 400, {"error": str(error)}
                self.close_connection = True
            body = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing of each request."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def ask(url: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer to some rows."""
    request = urllib.request.Request(url, json.dumps(rows).encode(), {"Content-Type": "application/json"})  # noqa: S310 - our own
    with urllib.request.urlopen(request) as reply:  # noqa: S310 - the same
        return json.loads(reply.read())


def measure(url: str, rows: list[dict[str, Any]], times: int) -> np.ndarray:
    """Return how many milliseconds an answer takes: the median, the 95th percentile, and the mean of CPU time.

    CPU time is that of asking and answering, both in this process; it does not depend on what else the machine does.
    """
    ask(url, rows)
    spent, cpu = [], time.process_time()
    for _ in range(times):
        start = time.perf_counter()
        ask(url, rows)
        spent.append(1000 * (time.perf_counter() - start))
    return np.append(np.quantile(spent, [0.5, 0.95]), 1000 * (time.process_time() - cpu) / times)


def main() -> None:
    """Fit a model on half of the wines, serve it, and measure or wait."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, help="serve here until Ctrl-C instead of measuring")
    parser.add_argument("--times", type=int, default=100, help="requests to measure")
    args = parser.parse_args()
    wine = load_wine(as_frame=True).data
    X, y = wine.drop(columns="proline"), wine["proline"]
    model = heedful.AttentionLasso(random_state=0, n_jobs=1).fit(X.iloc[::2], y.iloc[::2])
    server = make_server(model, args.port or 0)
    if args.port:
        print(f"http://127.0.0.1:{args.port}: POST rows to /predict, /explain or /models; Ctrl-C ends it")
        server.serve_forever()
        return
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url, rows = f"http://127.0.0.1:{server.server_port}", X.iloc[1::2].to_dict("records")
    same = np.array_equal(ask(f"{url}/predict", rows)["predictions"], model.predict(X.iloc[1::2]))
    print(f"answers are {'those' if same else 'NOT those'} of the model in this process")
    for path, n_rows in (("/predict", 1), ("/predict", 50), ("/models", 1), ("/explain", 1)):
        middle, late, cpu = measure(url + path, rows[:n_rows], args.times)
        print(f"{path} of {n_rows} rows: median {middle:.1f} ms, 95th percentile {late:.1f} ms, CPU time {cpu:.1f} ms")
    server.shutdown()


if __name__ == "__main__":
    main()
