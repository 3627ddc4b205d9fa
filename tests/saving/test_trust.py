"""Only classes that heedful defines are its own."""

import pytest

from heedful.saving._trust import foreign_types, is_ours


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
        ("heedful.cli._console.print_line", False),
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
