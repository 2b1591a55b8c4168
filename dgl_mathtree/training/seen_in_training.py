"""What of a collection a run has seen in training: duplicates of its equations, and their sides; and which equations
are laws that training data is made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.data.data_files import DataError, find_data
from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.data.discovery.law_instances import named_laws
from dgl_mathtree.data.duplicates import have_twins, sides_seen
from dgl_mathtree.data.recipe import DATASETS, load_recipe, recipe_names
from dgl_mathtree.data.splits import TRAIN
from dgl_mathtree.language import Equation, Forest
from dgl_mathtree.training.run_folder import find_run, read_facts


def law_twins(equations: Sequence[Equation | None]) -> NDArray[np.bool_]:
    """Whether each equation is a line of discovery's `laws.txt`, up to the differences that duplicates may have.

    A recipe may keep such an equation out of its training part, but not everything that was made with the law.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> law_twins([parse_equation("1 = cos(t)^2 + sin(t)^2"), parse_equation("x = sin(x)"), None]).tolist()
    [True, False, False]
    """
    return _twins_in(equations, Forest.of([law.equation for law in named_laws().values()]))


def _twins_in(equations: Sequence[Equation | None], forest: Forest) -> NDArray[np.bool_]:
    read = np.array([equation is not None for equation in equations], dtype=bool)
    twin = np.zeros(len(read), dtype=bool)
    twin[read] = have_twins([equation for equation in equations if equation is not None], forest)
    return twin


def training_twins(
    run: str | Path | None, equations: Sequence[Equation | None], collection: Path | None = None
) -> NDArray[np.bool_] | None:
    """Whether each equation of a collection has a duplicate among a run's training equations.

    Parameters
    ----------
    run : str or Path or None
        As `load` takes it.
    equations : sequence of Equation or None
        Those of the collection; None has no duplicate.
    collection : Path, optional
        Its file. A recipe that keeps its training apart from the collection has no duplicate of it, which is known
        without its data.

    Returns
    -------
    numpy.ndarray or None
        (equations,); None where the run's data is not available.
    """
    forest = _training_forest(run)
    if forest is None and collection is None:
        return None
    if forest is None and collection is not None:
        data = read_facts(find_run(run)).config.data
        apart = data in recipe_names() and collection.stem in load_recipe(data).apart_from
        own = collection.resolve() == (DATASETS / collection.stem / collection.name).resolve()
        return np.zeros(len(equations), dtype=bool) if apart and own else None
    return None if forest is None else _twins_in(equations, forest)


def training_sides(run: str | Path | None, equations: Sequence[Equation | None]) -> NDArray[np.int64] | None:
    """How many sides of each equation occur anywhere in a run's training equations.

    Parameters
    ----------
    run : str or Path or None
        As `load` takes it.
    equations : sequence of Equation or None
        None has sides that do not occur.

    Returns
    -------
    numpy.ndarray or None
        (equations,) 0, 1 or 2; None where the run's data is not available.
    """
    forest = _training_forest(run)
    if forest is None:
        return None
    count = np.zeros(len(equations), dtype=np.int64)
    read = [k for k, equation in enumerate(equations) if equation is not None]
    count[read] = sides_seen([e for e in equations if e is not None], forest).sum(axis=1)
    return count


def _training_forest(run: str | Path | None) -> Forest | None:
    """The training equations of a run, or None where they are not available."""
    data = read_facts(find_run(run)).config.data
    try:
        find_data(data)
    except DataError:
        return None
    return EquationDataset(data, TRAIN).forest
