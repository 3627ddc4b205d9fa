import itertools
import time
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from heedful.context import neighbor_features

STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
SUMMARIES = [("x", "mean_sd"), ("x", "raw"), ("kind", "composition")]


@pytest.fixture
def cells(rng):
    """Return two images of cells in the plane."""
    return pd.DataFrame(
        {
            "image": ["a"] * 25 + ["b"] * 15,
            "row": rng.normal(size=40),
            "column": rng.normal(size=40),
            "x": rng.normal(size=40),
            "z": rng.normal(size=40),
            "kind": rng.choice(["immune", "tumour", "vessel"], 40),
        }
    )


@pytest.fixture
def pixels(rng):
    """Return two images of pixels with holes, in a random order of rows."""
    places = pd.DataFrame(list(itertools.product("ab", range(5), range(6))), columns=["image", "row", "column"])
    return places.assign(x=rng.normal(size=60), z=rng.normal(size=60), kind=rng.choice(["u", "v"], 60)).sample(
        48, random_state=0
    )


def context(frame, columns="x", **options):
    """Return the new columns only."""
    options = {"coordinates": ["row", "column"], "by": "image"} | options
    return neighbor_features(frame, columns, **options).drop(columns=frame.columns)


def brute_nearest(frame, query, k):
    """Return the rows of the same image by distance, then by coordinates."""
    me = frame.loc[query]
    others = frame[(frame["image"] == me["image"]) & (frame.index != query)]
    squared = (others["row"] - me["row"]) ** 2 + (others["column"] - me["column"]) ** 2
    return others.assign(squared=squared).sort_values(["squared", "row", "column"]).head(k)


def brute_grid(frame, query):
    """Return the value of x at each of the eight places around a pixel, NaN where there is no row."""
    me = frame.loc[query]
    places = frame[frame["image"] == me["image"]].set_index(["row", "column"])["x"]
    return [places.get((me["row"] + down, me["column"] + right), np.nan) for down, right in STEPS]


@pytest.mark.parametrize("k", [1, 4, 14])
def test_raw_neighbours_are_the_k_nearest_of_the_same_image(cells, k):
    raw = context(cells, summary="raw", k=k)
    assert list(raw.columns) == [f"x_near{place}" for place in range(1, k + 1)]
    for query in cells.index:
        np.testing.assert_array_equal(raw.loc[query], brute_nearest(cells, query, k)["x"])


def test_distances_in_space_use_all_three_coordinates(rng):
    points = rng.normal(size=(30, 3))
    frame = pd.DataFrame(points, columns=["a", "b", "c"]).assign(x=np.arange(30.0))
    raw = context(frame, coordinates=["a", "b", "c"], by=None, summary="raw", k=5)
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    np.testing.assert_array_equal(raw, np.argsort(distance, axis=1)[:, 1:6])


@pytest.mark.parametrize("k", [1, 2, 3, 6, 8, 10])
def test_ties_are_broken_by_coordinates_however_many_there_are(pixels, k):
    raw = context(pixels, summary="raw", k=k)
    for query in pixels.index:
        np.testing.assert_array_equal(raw.loc[query], brute_nearest(pixels, query, k)["x"])


def test_a_centre_with_everyone_at_the_same_distance_takes_the_first_places():
    ring = [(3, 4), (-3, 4), (3, -4), (-3, -4), (4, 3), (-4, 3), (4, -3), (-4, -3), (5, 0), (-5, 0), (0, 5), (0, -5)]
    frame = pd.DataFrame([(0, 0), *ring], columns=["row", "column"]).assign(x=range(13))
    nearest = context(frame, summary="raw", k=2, by=None).loc[0]
    assert [tuple(frame.loc[row, ["row", "column"]]) for row in nearest] == [(-5, 0), (-4, -3)]


def test_the_eight_neighbourhood_on_a_grid_equals_brute_force(pixels):
    raw = context(pixels, summary="raw", grid=True)
    assert list(raw.columns)[:4] == ["x_-1_-1", "x_-1_0", "x_-1_+1", "x_0_-1"]
    for query in pixels.index:
        np.testing.assert_array_equal(raw.loc[query], brute_grid(pixels, query))


def test_a_place_inside_a_cube_has_26_neighbours_in_the_order_of_their_places():
    cube = pd.DataFrame(list(itertools.product(range(3), repeat=3)), columns=["a", "b", "c"]).assign(x=range(27))
    raw = context(cube, coordinates=["a", "b", "c"], by=None, summary="raw", grid=True)
    np.testing.assert_array_equal(raw.loc[13], np.delete(np.arange(27), 13))
    assert raw.columns[0] == "x_-1_-1_-1"
    assert raw.notna().sum(axis=1).loc[0] == 7


@pytest.mark.parametrize("grid", [True, False])
@pytest.mark.parametrize("columns", ["x", ["z", "x"]])
def test_mean_and_deviation_are_those_of_the_raw_neighbours(pixels, grid, columns):
    raw = context(pixels, columns, summary="raw", grid=grid)
    summary = context(pixels, columns, grid=grid)
    for column in [columns] if isinstance(columns, str) else columns:
        near = raw.filter(regex=f"^{column}_")
        np.testing.assert_allclose(summary[f"{column}_near_mean"], near.mean(axis=1), atol=1e-12)
        np.testing.assert_allclose(summary[f"{column}_near_sd"], near.std(axis=1, ddof=0), atol=1e-9)


def test_more_columns_than_fit_in_a_block_are_the_columns_one_by_one(cells, rng):
    names = [f"band{j}" for j in range(40)]
    wide = cells.join(pd.DataFrame(rng.normal(size=(40, 40)), columns=names))
    for summary in ("mean_sd", "raw"):
        alone = [context(wide, name, summary=summary) for name in names]
        together = context(wide, names, summary=summary)
        assert list(together.columns) == [new for part in alone for new in part.columns]
        np.testing.assert_allclose(together, pd.concat(alone, axis=1), atol=1e-12)


def test_a_far_origin_does_not_drown_the_deviation(cells):
    near, far = context(cells), context(cells.assign(x=cells["x"] + 1e8))
    np.testing.assert_allclose(far["x_near_sd"], near["x_near_sd"], rtol=1e-6)


def test_neighbours_that_are_all_alike_have_no_deviation(cells):
    far_apart = cells["row"] + np.repeat([0, 1000], 20)
    flat = cells.assign(image="one", row=far_apart, x=np.repeat([0.1, 1e5 / 3], 20))
    assert (context(flat, k=3)["x_near_sd"] == 0).all()


def test_a_composition_is_the_share_of_each_level_among_the_neighbours(cells):
    shares = context(cells, "kind", summary="composition", k=5)
    assert list(shares.columns) == ["kind_near=immune", "kind_near=tumour", "kind_near=vessel"]
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    for query in cells.index:
        counts = brute_nearest(cells, query, 5)["kind"].value_counts()
        expected = [counts.get(name.split("=")[1], 0) / 5 for name in shares.columns]
        np.testing.assert_allclose(shares.loc[query], expected, atol=1e-12)


def test_a_categorical_column_gives_every_category_its_share(cells):
    levels = ["immune", "nerve", "tumour", "vessel"]
    shares = context(cells.assign(kind=pd.Categorical(cells["kind"], levels)), "kind", summary="composition")
    assert list(shares.columns) == [f"kind_near={level}" for level in levels]
    assert (shares["kind_near=nerve"] == 0).all()


def test_gaussian_weights_shrink_with_distance_as_the_formula_says(cells):
    summary = context(cells, k=6, kernel="gaussian", bandwidth=0.7)
    for query in cells.index:
        near = brute_nearest(cells, query, 6)
        weight = np.exp(-near["squared"] / (2 * 0.7**2))
        mean = np.average(near["x"], weights=weight)
        sd = np.sqrt(np.average((near["x"] - mean) ** 2, weights=weight))
        np.testing.assert_allclose(summary.loc[query], [mean, sd], atol=1e-9)


def test_the_default_bandwidth_is_the_median_distance_of_the_last_neighbour(cells):
    one = cells[cells["image"] == "a"]
    last = [np.sqrt(brute_nearest(one, query, 6)["squared"].iloc[-1]) for query in one.index]
    given = context(one, k=6, kernel="gaussian", bandwidth=float(np.median(last)))
    np.testing.assert_allclose(context(one, k=6, kernel="gaussian"), given, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("summary", ["mean_sd", "composition"])
def test_a_wide_kernel_weighs_alike_and_a_narrow_one_takes_the_nearest(cells, summary):
    column = "x" if summary == "mean_sd" else "kind"
    options = {"columns": column, "summary": summary}
    wide = context(cells, kernel="gaussian", bandwidth=1e6, **options)
    np.testing.assert_allclose(wide, context(cells, **options), atol=1e-9)
    narrow = context(cells, kernel="gaussian", bandwidth=1e-6, **options)
    np.testing.assert_allclose(narrow, context(cells, k=1, **options), atol=1e-9)


@pytest.mark.parametrize("kernel", [None, "gaussian"])
@pytest.mark.parametrize(("column", "summary"), SUMMARIES)
@pytest.mark.parametrize("grid", [True, False])
def test_no_other_image_changes_a_number(pixels, column, summary, grid, kernel):
    options = {"summary": summary, "grid": grid, "kernel": None if summary == "raw" else kernel}
    together = context(pixels, column, **options)
    for _, image in pixels.groupby("image"):
        alone = context(image, column, **options)
        pd.testing.assert_frame_equal(together.loc[image.index, alone.columns], alone, check_exact=True)


@pytest.mark.parametrize(("column", "summary"), SUMMARIES)
@pytest.mark.parametrize("grid", [True, False])
def test_the_order_of_rows_and_images_changes_nothing_but_the_order(pixels, column, summary, grid):
    options = {"summary": summary, "grid": grid, "k": 5}
    expected = context(pixels, column, **options)
    shuffled = pixels.sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(context(shuffled, column, **options).loc[pixels.index], expected, check_exact=True)
    renamed = pixels.assign(image=pixels["image"].map({"a": "z", "b": "c"}))
    pd.testing.assert_frame_equal(context(renamed, column, **options), expected, check_exact=True)


def test_a_row_is_not_its_own_neighbour(cells):
    changed = cells.assign(x=np.where(cells.index == 3, 100.0, cells["x"]))
    assert (context(changed, summary="raw").loc[3] == context(cells, summary="raw").loc[3]).all()


def test_the_frame_keeps_its_rows_index_and_columns(pixels):
    result = neighbor_features(pixels, "x", ["row", "column"], by="image", grid=True)
    pd.testing.assert_frame_equal(result[pixels.columns], pixels)


def test_missing_neighbours_are_missing_or_the_row_itself(pixels):
    raw, own = (context(pixels, summary="raw", grid=True, edges=edges) for edges in ("nan", "own"))
    assert raw.isna().any(axis=None)
    pd.testing.assert_frame_equal(own, raw.apply(lambda column: column.fillna(pixels["x"])))


def test_an_image_smaller_than_k_has_fewer_neighbours(cells):
    raw = context(cells, summary="raw", k=20)
    assert (raw.notna().sum(axis=1) == np.where(cells["image"] == "a", 20, 14)).all()
    everyone = cells[cells["image"] == "b"]["x"]
    mean = (everyone.sum() - everyone) / 14
    np.testing.assert_allclose(context(cells, k=20)["x_near_mean"].loc[everyone.index], mean, atol=1e-12)


@pytest.mark.parametrize("grid", [True, False])
@pytest.mark.parametrize("kernel", [None, "gaussian"])
def test_a_row_alone_in_its_image_has_no_context_or_its_own(grid, kernel):
    single = pd.DataFrame({"image": ["a"], "row": [2], "column": [3], "x": [7.0], "kind": ["u"]})
    options = {"grid": grid, "kernel": kernel}
    assert context(single, **options).isna().all(axis=None)
    assert context(single, edges="own", **options).iloc[0].to_list() == [7.0, 0.0]
    shares = context(single, "kind", summary="composition", edges="own", **options)
    assert shares.iloc[0].to_dict() == {"kind_near=u": 1.0}


def test_a_missing_value_counts_as_no_neighbour(pixels):
    holes = pixels.assign(x=pixels["x"].where(pixels["x"] < 1), kind=pixels["kind"].where(pixels["x"] < 1))
    raw, summary = (context(holes, summary=summary, grid=True) for summary in ("raw", "mean_sd"))
    np.testing.assert_allclose(summary["x_near_mean"], raw.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(summary["x_near_sd"], raw.std(axis=1, ddof=0), atol=1e-9)
    shares = context(holes, "kind", summary="composition", grid=True).to_numpy().sum(axis=1)
    np.testing.assert_allclose(shares, np.where(raw.notna().any(axis=1), 1.0, np.nan), rtol=1e-12)


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table])
@pytest.mark.parametrize(("column", "summary"), SUMMARIES)
def test_other_libraries_give_what_pandas_gives(pixels, column, summary, kind):
    given = kind(pixels.to_dict("list"))
    result = neighbor_features(given, column, ["row", "column"], by="image", grid=True, summary=summary)
    assert type(result) is type(given)
    for name, values in context(pixels, column, grid=True, summary=summary).items():
        np.testing.assert_array_equal(result[name].to_numpy(), values)


def test_nulls_of_polars_count_as_no_neighbour(pixels):
    values = [None if value > 1 else value for value in pixels["x"]]
    frame = pl.DataFrame(pixels.to_dict("list")).with_columns(pl.Series("x", values))
    result = neighbor_features(frame, "x", ["row", "column"], by="image", grid=True)
    expected = context(pixels.assign(x=pixels["x"].where(pixels["x"] <= 1)), grid=True)
    np.testing.assert_array_equal(result["x_near_mean"].to_numpy(), expected["x_near_mean"])


def test_a_grid_with_wider_steps_is_warned_of(pixels):
    with pytest.warns(UserWarning, match="No row has a neighbour on the grid"):
        context(pixels.assign(row=10 * pixels["row"], column=10 * pixels["column"]), grid=True)


@pytest.mark.parametrize(
    ("change", "options", "error", "message"),
    [
        ({"row": 0, "column": 0}, {}, ValueError, "`coordinates` must differ within an image, got \\(0.0, 0.0\\)"),
        ({}, {"by": None}, ValueError, "`coordinates` must differ.*or name the image by `by`"),
        ({}, {"by": "tissue"}, ValueError, "`by` names 'tissue'"),
        ({"image": None}, {}, ValueError, "`by` must name the image of every row, got 48 missing in 'image'"),
        ({}, {"columns": "y"}, ValueError, "`columns` names 'y'"),
        ({}, {"columns": "kind"}, TypeError, "summary='mean_sd'.*needs numbers.*'kind'"),
        ({"x": np.inf}, {}, ValueError, "`columns` must not hold infinity: 'x' does"),
        ({}, {"coordinates": ["row", "depth"]}, ValueError, "`coordinates` names 'depth'"),
        ({}, {"coordinates": ["row"]}, ValueError, "`coordinates` must be 2 or 3 columns"),
        ({}, {"coordinates": ["row", "kind"]}, TypeError, "`coordinates` needs numbers.*'kind'"),
        ({"row": np.nan}, {}, ValueError, "`coordinates` must be finite, got nan in column 'row', row 0"),
        ({"row": 0.5}, {"grid": True}, ValueError, "grid=True needs whole numbers in `coordinates`, got 0.5"),
        ({}, {"k": 0}, ValueError, "`k` must be >= 1, got 0"),
        ({}, {"k": 2.5}, ValueError, "`k` must be a whole number, got 2.5"),
        ({}, {"summary": "median"}, ValueError, "`summary` must be one of 'mean_sd'.*got 'median'"),
        ({}, {"summary": "composition"}, TypeError, "needs categories, but column 'x' holds fractions"),
        ({}, {"edges": "wrap"}, ValueError, "`edges` must be one of 'nan', 'own', got 'wrap'"),
        ({}, {"kernel": "box"}, ValueError, "`kernel` must be one of 'gaussian', got 'box'"),
        ({}, {"kernel": "gaussian", "summary": "raw"}, ValueError, "`kernel` must be None with summary='raw'"),
        ({}, {"kernel": "gaussian", "bandwidth": 0}, ValueError, "`bandwidth` must be > 0, got 0"),
        ({}, {"bandwidth": 1.0}, ValueError, "`bandwidth` needs a kernel, got 1.0 without"),
        ({"x_near_sd": 1.0}, {}, ValueError, "has a column 'x_near_sd' already"),
    ],
)
def test_bad_input_is_named(pixels, change, options, error, message):
    with pytest.raises(error, match=message):
        context(pixels.assign(**change), **options)


def test_arrays_and_lazy_frames_are_not_taken(pixels):
    for frame in (pixels.to_numpy(), pl.DataFrame(pixels.to_dict("list")).lazy()):
        with pytest.raises(TypeError, match="`frame` must be a data frame"):
            neighbor_features(frame, "x", ["row", "column"])


def test_names_that_repeat_are_refused(pixels):
    table = pa.table([pa.array([1]), pa.array([2])], names=["x", "x"])
    for frame in (table, pd.DataFrame([[1, 2]], columns=["x", "x"])):
        with pytest.raises(ValueError, match="`frame` must have distinct column names, got 'x' more than once"):
            neighbor_features(frame, "x", ["row", "column"])


def test_an_enum_of_polars_has_a_share_for_each_of_its_levels_in_order():
    frame = pl.DataFrame({"row": [0, 0], "column": [0, 1], "size": ["L", "S"]})
    frame = frame.with_columns(pl.col("size").cast(pl.Enum(["S", "M", "L"])))
    found = neighbor_features(frame, "size", ["row", "column"], grid=True, summary="composition")
    assert found.columns[3:] == ["size_near=S", "size_near=M", "size_near=L"]


@pytest.mark.long
@pytest.mark.more
def test_a_large_image_takes_seconds_and_no_stacked_copy_of_its_neighbours(rng):
    side, n_bands = 141, 200
    row, column = np.divmod(np.arange(side**2), side)
    bands = pd.DataFrame(rng.normal(size=(side**2, n_bands)), columns=[f"band {j}" for j in range(n_bands)])
    frame = bands.assign(row=row, column=column)
    tracemalloc.start()
    start = time.process_time()
    neighbor_features(frame, list(bands), ["row", "column"], grid=True)
    seconds, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # eight stacked copies would be eight times the frame, before anything is made of them
    assert peak < 7 * bands.to_numpy().nbytes
    assert seconds < 20
