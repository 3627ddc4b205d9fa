"""Images of a tissue whose hidden regions are visible around a pixel and hardly in it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.ndimage import gaussian_filter

from heedful._checks import check_count, check_number
from heedful.datasets._arguments import LARGEST, check_shift, check_snr
from heedful.datasets._truth import Simulation, blend, pad

# Features 1-2 act in opposite directions in the two types, 3-4 alike; 5-6 mark the type and do nothing else.
EFFECTS = [[1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, -1.0]]
OPPOSED, MARKERS = slice(0, 2), slice(4, 6)


def make_tissue(
    n_images: int = 12,
    size: int = 16,
    p: int = 6,
    *,
    patch: float = 4.0,
    contrast: float = 0.3,
    shift: float = 1.0,
    snr: float = 2.5,
    random_state: Any = None,
) -> Simulation:
    """Simulate images with two hidden types of region, seen only in context.

    Features 1-2 raise the response in regions of one type and lower it in those of the other; 3-4 have the same effect
    in both. Features 5-6 are slightly higher in one type: a single pixel does not reveal its type, but its neighbours
    do.

    Parameters
    ----------
    n_images : int, default=12
        Number of images; rows are in order of images.
    size : int, default=16
        Pixels along each side of an image, at least 2.
    p : int, default=6
        Number of features, at least 6; all after the sixth are noise.
    patch : float, default=4.0
        Width of regions in pixels: the standard deviation of the filter that smooths noise into regions.
    contrast : float, default=0.3
        Shift of features 5-6 by type, up or down, in standard deviations of a pixel. With 1 single pixels reveal it.
    shift : float, default=1.0
        Shift of features 1-2 in every pixel. It makes the mean responses of the types differ; with 0 they are equal,
        and a forest hardly finds the types.
    snr : float, default=2.5
        Signal-to-noise ratio: variance of the signal over the drawn rows, divided by that of the noise.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from.

    Returns
    -------
    Simulation
        ``X`` is a frame: the columns "image", "row" and "column", then the features "x1" to "xp". ``latent`` is the
        type, 0 or 1, each in half of every image; ``components`` are the coefficients of both, for the features.

    Notes
    -----
    The type is 1 where white noise, smoothed by a gaussian filter, lies above its median in the image. All features
    have a standard deviation of 1 within a type, independently from pixel to pixel.

    Examples
    --------
    >>> sim = make_tissue(random_state=0)
    >>> list(sim.X.columns)
    ['image', 'row', 'column', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6']
    >>> train, test = sim.split(8 * 16**2)  # whole images
    >>> train.X["image"].unique().tolist(), test.X["image"].unique().tolist()
    ([0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11])
    """
    n_images = check_count("n_images", n_images, 1, "One image is the fewest.")
    size = check_count("size", size, 2, "An image of 2 x 2 pixels is the smallest.")
    p = check_count("p", p, MARKERS.stop, "Four features have effects and two mark the type.")
    patch = check_number("patch", patch, 0.0, LARGEST, hint="0 gives every pixel a type of its own.")
    contrast = check_number("contrast", contrast, 0.0, LARGEST, hint="0 hides the type altogether.")
    shift, snr, rng = check_shift(shift), check_snr(snr), np.random.default_rng(random_state)
    kind = np.concatenate([_draw_regions(size, patch, rng) for _ in range(n_images)])
    X = rng.normal(size=(kind.size, p))
    X[:, MARKERS] += contrast * (2 * kind - 1)[:, None]
    X[:, OPPOSED] += shift
    sim = blend(X, np.eye(2)[kind], pad(EFFECTS, p), kind, rng, snr=snr)
    return replace(sim, X=_place(X, n_images, size))


def _draw_regions(size: int, patch: float, rng: np.random.Generator) -> np.ndarray:
    """Return the type of each pixel of an image, row by row."""
    field = gaussian_filter(rng.normal(size=(size, size)), patch)
    return (field > np.median(field)).astype(np.int64).ravel()


def _place(X: np.ndarray, n_images: int, size: int) -> Any:
    """Return features as a frame that starts with the image of each row and its place in it."""
    image, row, column = np.indices((n_images, size, size)).reshape(3, -1)
    features = pd.DataFrame(X, columns=[f"x{j}" for j in range(1, X.shape[1] + 1)])
    return pd.concat([pd.DataFrame({"image": image, "row": row, "column": column}), features], axis=1)
