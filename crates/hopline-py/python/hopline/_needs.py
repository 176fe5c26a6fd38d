"""Libraries of others, which are used where somebody asks for them."""

from __future__ import annotations

import importlib
from typing import Any


def needed(module: str) -> Any:
    """A module that need not be there; who lacks it is told how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"this needs {package}: pip install {package}") from error
