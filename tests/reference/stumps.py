"""Boosted stumps by trying every stump, one model at a time."""

from itertools import pairwise

import numpy as np

MISSING, EVERY, TIE, LEAST_PART, BY_CHANCE = 255, 8, 1e-9, 1e-6, 0.5


def stumps(codes, category, slope, curve):
    """Yield the stumps of a column in the order they are tried: the side (1 or 2, 0 for none) of each of 256 codes."""
    present = np.unique(codes[curve > 0]).astype(int).tolist()
    if category:
        ratio = {code: slope[codes == code].sum() / curve[codes == code].sum() for code in present}
        ordered = sorted(present, key=lambda code: (ratio[code], code))
        for n_left in range(1, len(ordered)):
            side = np.zeros(256, int)
            side[ordered[:n_left]], side[ordered[n_left:]] = 1, 2
            yield side
        return
    known, lost = [code for code in present if code != MISSING], MISSING in present
    cuts = [(low + high) // 2 + 1 for low, high in pairwise(known)]
    for cut in [*cuts, *([MISSING] if lost and known else [])]:
        for unknown in ([2, 1] if cut < MISSING else [2]) if lost else [0]:
            yield np.append(np.where(np.arange(MISSING) < cut, 1, 2), unknown)


def gain_of(side, codes, slope, curve, ridge, least):
    """Return the Newton gain of a stump, and the step of each side; None if a side has too little curvature."""
    gain, steps = -(slope.sum() ** 2) / (curve.sum() + ridge), [0.0]
    for s in (1, 2):
        there = (side[codes] == s) & (curve > 0)
        pull, bend = slope[there].sum(), curve[there].sum()
        if bend < least or not there.any():
            return None
        gain += pull**2 / (bend + ridge)
        steps.append(pull / (bend + ridge))
    return gain, np.array(steps)


def goes(side, steps, sign):
    """Return whether the higher side of a cut of numbers has the higher step (sign 1), or the lower one (-1)."""
    known = side[:MISSING]
    return sign * (steps[2] - steps[1]) >= 0 or not ((known == 1).any() and (known == 2).any())


def best_stump(codes, categories, slope, curve, chance, ridge, least, signs):
    """Return gain, column, sides and steps of the best stump, the first of equally good ones; a gain of 0 if none."""
    best = (0.0, -1, np.zeros(256, int), np.zeros(3))
    for j in range(codes.shape[1]):
        own = (0.0,)
        for side in stumps(codes[:, j], categories[j], slope, curve):
            found = gain_of(side, codes[:, j], slope, curve, ridge, least)
            if found is not None and found[0] > own[0] * (1 + TIE) and goes(side, found[1], signs[j]):
                own = (found[0], j, side, found[1])
        n_levels = np.unique(codes[curve > 0, j]).size
        if categories[j] and n_levels > 2:
            own = (max(own[0] - chance * (n_levels - 2), LEAST_PART * own[0]), *own[1:])
        if own[0] > best[0] * (1 + TIE):
            best = own
    return best


def boost(codes, categories, family, weight, how, train=None, signs=None):
    """Return the linear predictor of all rows (1 + n_rounds, n_rows, n_outputs) by models of the training rows."""
    n_rows, own = codes.shape[0], np.arange(codes.shape[0]) if train is None else np.asarray(train)
    own = own[weight[own] > 0]
    family, weight, n_outputs = family.part(own), weight[own], family.n_outputs
    link = np.tile(family.null_link(weight), (n_rows, 1))
    unit = family.dispersion(link[own], weight)
    path = [link.copy()]
    for number in range(how.n_rounds):
        residual = family.residual(link[own], weight) / unit
        if number % EVERY == 0:
            hessian = family.hessian(link[own], weight)
            curve = weight[:, None] * (np.ones((own.size, n_outputs)) if hessian is None else hessian / unit)
        slope = weight[:, None] * residual
        chance = BY_CHANCE * (weight[:, None] * residual**2).sum(axis=0) / curve.sum(axis=0)
        for o in range(n_outputs):
            table = (codes[own], categories, slope[:, o], curve[:, o], chance[o], how.ridge, how.min_hessian)
            _, column, side, steps = best_stump(*table, np.zeros(codes.shape[1]) if signs is None else signs)
            steps = how.learning_rate * np.clip(steps, -family.farthest_step, family.farthest_step)
            link[:, o] += steps[side[codes[:, column]]]
        path.append(link.copy())
    return np.array(path)


def left_out_losses(paths, family, weight, splits):
    """Return the weighted mean loss of left-out rows in each round, from the paths of the folds."""
    total = 0.0
    for path, split in zip(paths, splits, strict=True):
        total += family.left_out_loss(split.train, split.test, weight)(path.swapaxes(0, 1).__getitem__)
    return total / sum(weight[split.test].sum() for split in splits)
