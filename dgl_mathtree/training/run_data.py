"""The parts of a run's data, each read and interned once."""

from __future__ import annotations

from functools import cached_property

from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.data.splits import PARTS, TEST, TRAIN, VALIDATION


class RunData:
    """The data of a run.

    Parameters
    ----------
    name : str
        A data folder, or the name of a recipe.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def train(self) -> EquationDataset:
        """The training equations."""
        return self._read(TRAIN)

    @cached_property
    def validation(self) -> EquationDataset:
        """The equations that decide when to stop."""
        return self._read(VALIDATION)

    @cached_property
    def test(self) -> EquationDataset | None:
        """The test equations, or None for data without any."""
        try:
            return self._read(TEST)
        except DataError:
            return None

    def parts(self) -> dict[str, EquationDataset]:
        """The parts that there are, by name."""
        found = {part: getattr(self, part) for part in PARTS}
        return {part: data for part, data in found.items() if data is not None}

    def _read(self, part: str) -> EquationDataset:
        try:
            return EquationDataset(self.name, part)
        except OSError as error:
            where = f" at {error.filename}" if error.filename else ""
            raise DataError(f"cannot read or keep the data {self.name}{where}: {error.strerror or error}") from None
