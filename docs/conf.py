"""Settings of the site; `tools/make_site.py` gathers the pages that Sphinx reads, and copies this file beside them."""

import importlib.metadata
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["HEEDFUL_ROOT"])
sys.path.insert(0, str(ROOT / "tools"))

from make_site import GALLERY_ORDER  # noqa: E402 - a tool of the project, found by its folder

project = "heedful"
author = "The heedful developers"
release = importlib.metadata.version("heedful")
project_copyright = "The heedful developers, BSD-3-Clause"
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["examples"]

# Pages: Markdown with a name for every heading, as on code hosts.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "substitution"]
myst_substitutions = {"release": release}

# The API: docstrings as they are. Types of other packages are not linked, as nothing is fetched while building.
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
toc_object_entries_show_parents = "hide"
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(numpy|np|pandas|sklearn|scipy|matplotlib|joblib|lightgbm|collections)\..*")]

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": rf"(^|[\\/])(?!({'|'.join(GALLERY_ORDER)})\.py$)[^\\/]*\.py$",
    "within_subsection_order": "make_site.in_order",
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "remove_config_comments": True,
    # that page would fetch scripts from elsewhere
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1,
    "plot_gallery": "True",
    "image_scrapers": ("matplotlib",),
    # what is printed is shown, not the legend or list of texts that the last line returns
    "capture_repr": (),
    "matplotlib_animations": False,
    "reset_modules": ("matplotlib", "make_site.quiet"),
    "thumbnail_size": (440, 300),
    "image_srcset": ["2x"],
}

html_theme = "pydata_sphinx_theme"
html_title = "heedful"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
# summaries are fetched page by page, which no browser allows for files on a disk
html_show_search_summary = False
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "start": [], "results": []}
html_theme_options = {
    "logo": {"text": "heedful"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
suppress_warnings = ["config.cache"]
