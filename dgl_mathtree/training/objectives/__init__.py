"""What is minimised: a registry of objectives. Every file of this package that registers one is found by itself."""

from __future__ import annotations

import importlib
import pkgutil

from dgl_mathtree.training.objectives.objective import OBJECTIVES, Objective, ObjectiveStep, find_objective, register

__all__ = ["OBJECTIVES", "Objective", "ObjectiveStep", "find_objective", "register"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
