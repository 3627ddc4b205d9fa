"""Errors of heads."""

import numpy as np
import pytest

from heedful import plot
from heedful.explain import Explanation


def test_there_is_one_line_per_similarity_and_ratio_and_one_dot_per_head(each):
    ax = plot.tuning_curve(each)
    n_lines = each.heads.groupby(["similarity", "alpha_ratio"]).ngroups
    assert len([line for line in ax.lines if ", penalty × " in line.get_label()]) == n_lines
    dots = np.concatenate([dots.get_offsets()[:, 1] for dots in ax.collections])
    np.testing.assert_allclose(np.sort(dots), np.sort(each.heads["error"]))


def test_the_best_ratio_is_emphasised(small):
    ax = plot.tuning_curve(small)
    best = small.heads.loc[small.heads["error"].idxmin(), "alpha_ratio"]
    strong = [line.get_label() for line in ax.lines if line.get_linewidth() > 1]
    assert len(strong) == small.heads["similarity"].nunique()
    assert any(label.endswith(f"× {best:g}".replace("inf", "∞")) for label in strong)


def test_larger_shares_have_larger_dots(small):
    ax = plot.tuning_curve(small)
    largest = max(ax.collections, key=lambda dots: dots.get_sizes().max())
    error = largest.get_offsets()[largest.get_sizes().argmax(), 1]
    assert error == pytest.approx(small.heads.loc[small.heads["share"].idxmax(), "error"])


def test_temperatures_and_weightings_without_one_are_named(small, classes, no_overlap):
    ax = plot.tuning_curve(small)
    no_overlap([*ax.get_xticklabels(), ax.xaxis.label])
    no_overlap(ax.texts)
    names = [text.get_text() for text in ax.get_xticklabels()]
    assert names[0] == f"{small.heads['temperature'].min():g}"
    assert names[-1] == "share"
    assert [text.get_text() for text in plot.tuning_curve(classes).get_xticklabels()] == ["0.05", "0.1"]


def test_long_names_of_similarities_are_below_each_other(small, no_overlap):
    names = small.heads["similarity"] + " of residuals, all columns"
    ax = plot.tuning_curve(Explanation(**{**vars(small), "heads": small.heads.assign(similarity=names)}))
    no_overlap(ax.get_legend().get_texts())


@pytest.mark.parametrize(("share", "said"), [(1.0, "share 100 %"), (0.123, "share 12.3 %")])
def test_the_largest_share_is_said_in_per_cent(small, share, said):
    heads = small.heads.assign(share=np.linspace(0.0, share, len(small.heads)))
    ax = plot.tuning_curve(Explanation(**{**vars(small), "heads": heads}))
    assert ax.get_legend().get_texts()[-1].get_text() == said


def test_heads_that_were_not_tried_are_refused(small):
    heads = small.heads.assign(error=np.nan)
    with pytest.raises(ValueError, match="tried its heads on held-out rows"):
        plot.tuning_curve(Explanation(**{**vars(small), "heads": heads}))
