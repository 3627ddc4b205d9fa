"""Only classes that heedful defines are its own."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from skops import io as skops_io

from heedful import AttentionLasso
from heedful.saving import trusted_types
from heedful.saving._trust import foreign_types, is_ours
from heedful.similarity import ForestProximity


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("heedful.similarity._forest.ForestProximity", True),
        ("heedful._flow.table.TrainingTable", True),
        ("sklearn.tree._tree.Tree", False),
        ("collections.OrderedDict", True),
        ("heedful.similarity._forest.clone", False),
        ("heedful.similarity._forest.RandomForestRegressor", False),
        ("heedful.saving._file.save_model", False),
        ("heedful.saving._file.Path", False),
        ("heedful.cli._errors.UserError", False),
        ("heedful.none.Thing", False),
        ("heedfulness.Thing", False),
        ("heedful.__main__.main", False),
        ("heedful.cli._console.print_text", False),
        ("datetime.date", True),
        ("sklearn.model_selection._split.KFold", True),
        ("sklearn.model_selection._split.check_cv", False),
        ("builtins.open", False),
        ("", False),
    ],
)
def test_functions_and_what_a_module_imports_are_not_ours(name, ours):
    assert is_ours(name) == ours


def test_what_is_named_is_trusted():
    names = ["heedful.cluster._protoclust.ProtoClust", "lightgbm.basic.Booster", "os.system"]
    assert foreign_types(names, ["lightgbm.basic.Booster"]) == ["os.system"]


def test_types_to_trust_are_those_that_skops_asks_for(rng):
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    X["day"] = pd.Categorical(pd.to_datetime(["2024-05-01", "2024-05-02"] * 20))
    model = make_pipeline("passthrough", AttentionLasso(similarity=ForestProximity(4), random_state=0)).fit(X, X["a"])
    types = trusted_types(model)
    data = skops_io.dumps(model)
    assert types == sorted(skops_io.get_untrusted_types(data=data))
    assert all(map(is_ours, types))
    np.testing.assert_array_equal(skops_io.loads(data, trusted=types).predict(X), model.predict(X))
