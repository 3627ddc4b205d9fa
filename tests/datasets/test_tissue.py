import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from heedful import AttentionLasso
from heedful.context import neighbor_features
from heedful.datasets import make_tissue
from heedful.similarity import ForestProximity

FEATURES = ["x1", "x2", "x3", "x4", "x5", "x6"]
PLACE = ["image", "row", "column"]


def describe(sim):
    """Return the pixels with mean and deviation of their neighbours."""
    return neighbor_features(sim.X, FEATURES, ["row", "column"], by="image", grid=True)


def errors(sim, n_train, seen):
    """Return the squared errors of the attention lasso and of its baseline on the images after the first."""
    first, table = sim.X["image"] < n_train, describe(sim)
    model = AttentionLasso(
        similarity=ForestProximity(40), features={"similarity": seen, "model": FEATURES}, cv=5, random_state=0
    )
    model.fit(table[first], sim.y[first], groups=table["image"][first])
    guesses = model.predict(table[~first]), model.baseline_.predict(table.loc[~first, FEATURES])
    return [np.mean((sim.y[~first] - guess) ** 2) for guess in guesses]


@pytest.mark.more
@pytest.mark.parametrize("seed", [0, 1])
def test_attention_gains_over_the_lasso_with_context_and_not_without(seed):
    sim = make_tissue(size=12, random_state=seed)
    around = [f"{name}_near_{what}" for name in FEATURES for what in ("mean", "sd")]
    (alone, lasso), (seeing, _) = (errors(sim, 8, seen) for seen in (FEATURES, FEATURES + around))
    assert seeing < 0.88 * lasso
    assert alone > 0.97 * lasso


def test_every_pixel_of_every_image_has_its_place():
    X = make_tissue(3, 5, random_state=0).X
    assert len(X) == 75
    assert not X[PLACE].duplicated().any()
    assert X["image"].is_monotonic_increasing
    assert X[["row", "column"]].max().to_list() == [4, 4]


def test_each_type_fills_half_of_an_image(rng):
    sim = make_tissue(4, 10, random_state=rng)
    np.testing.assert_array_equal(pd.Series(sim.latent).groupby(sim.X["image"].to_numpy()).sum(), 50)


def test_regions_are_patches(rng):
    def alike(patch):
        sim = make_tissue(4, 20, patch=patch, random_state=rng)
        images = sim.latent.reshape(4, 20, 20)
        return (images[:, 1:] == images[:, :-1]).mean()

    assert alike(4.0) > 0.85
    assert alike(0.0) == pytest.approx(0.5, abs=0.08)


def test_the_type_is_hardly_visible_in_a_pixel_and_well_around_it(rng):
    sim = make_tissue(20, random_state=rng)
    table = describe(sim)
    pixel = roc_auc_score(sim.latent, table["x5"] + table["x6"])
    around = roc_auc_score(sim.latent, table["x5_near_mean"] + table["x6_near_mean"])
    assert pixel < 0.75
    assert around > 0.88


def test_only_the_markers_and_the_shift_move_the_features():
    flat, drawn = (make_tissue(2, random_state=2, contrast=size, shift=size).X[FEATURES] for size in (0.0, 0.5))
    latent = make_tissue(2, random_state=2).latent
    moved = np.outer(np.ones(latent.size), [0.5, 0.5, 0, 0, 0, 0])
    moved[:, 4:] = np.where(latent == 1, 0.5, -0.5)[:, None]
    np.testing.assert_allclose(drawn - flat, moved, atol=1e-12)


def test_two_effects_are_opposite_and_two_alike(rng):
    sim = make_tissue(2, p=8, random_state=rng)
    np.testing.assert_array_equal(sim.components[0, :4], sim.components[1, :4] * [-1, -1, 1, 1])
    assert not sim.components[:, 4:].any()
    np.testing.assert_array_equal(sim.coef, sim.components[sim.latent])
    features = sim.X.drop(columns=PLACE)
    np.testing.assert_allclose((features * sim.coef).sum(axis=1), sim.signal, atol=1e-12)


def test_the_noise_meets_the_asked_ratio(rng):
    sim = make_tissue(snr=4.0, random_state=rng)
    assert sim.signal.var() / sim.noise**2 == pytest.approx(4.0)
    assert (sim.y - sim.signal).std() == pytest.approx(sim.noise, rel=0.05)


def test_split_keeps_images_whole_and_all_parts_in_step(rng):
    sim = make_tissue(6, 4, random_state=rng)
    first, second = sim.split()
    assert set(first.X["image"]) == {0, 1, 2}
    assert set(second.X["image"]) == {3, 4, 5}
    np.testing.assert_array_equal(second.y, sim.y[48:])
    _, last = second.split(32)
    assert set(last.X["image"]) == {5}


def test_the_same_seed_gives_the_same_images():
    first, second = (make_tissue(2, random_state=5) for _ in range(2))
    pd.testing.assert_frame_equal(first.X, second.X)
    np.testing.assert_array_equal(first.y, second.y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_images": 0}, "`n_images` must be >= 1, got 0"),
        ({"size": 1}, "`size` must be >= 2, got 1"),
        ({"size": 4.5}, "`size` must be a whole number, got 4.5"),
        ({"p": 5}, "`p` must be >= 6, got 5"),
        ({"patch": -1}, "`patch` must be >= 0"),
        ({"contrast": -0.1}, "`contrast` must be >= 0"),
        ({"snr": 0}, "`snr` must be > 0"),
    ],
)
def test_bad_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        make_tissue(**options)
