"""How Sphinx builds the site: `make docs`."""

from importlib.metadata import version as version_of

project = "ensvm"
author = "The ensvm founders"
release = version_of("ensvm")
version = release

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["_build", "tutorials/foreign"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # the tests run the notebooks, and compare what they show
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = f"ensvm {release}"
