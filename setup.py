"""Which packages there are; everything else is in setup.cfg."""

from setuptools import find_packages, setup

setup(
    # Recipes and data lie beside the package in the sources, and within it once installed.
    packages=[*find_packages(include=["dgl_mathtree", "dgl_mathtree.*"]), "dgl_mathtree.datasets"],
    package_dir={"dgl_mathtree.datasets": "datasets"},
)
