"""What each call answers, for editors and type checkers: a result with the keys of its document."""

from __future__ import annotations

from . import documents
from ._result import Result


class Load(Result, documents.LoadDocument):
    """Of :func:`hopline.load`."""


class Map(Result, documents.MapDocument):
    """Of :func:`hopline.map`."""


class Flits(Result, documents.FlitsDocument):
    """Of :func:`hopline.flits`."""


class Replay(Result, documents.ReplayDocument):
    """Of :func:`hopline.replay`."""


class Power(Result, documents.PowerDocument):
    """Of :func:`hopline.power`."""


class Compare(Result, documents.CompareDocument):
    """Of :func:`hopline.compare`."""


class Route(Result, documents.FabricRouteDocument):
    """Of :func:`hopline.route`."""


class Check(Result, documents.FabricCheckDocument):
    """Of :func:`hopline.check`."""


class Diff(Result, documents.FabricDiffDocument):
    """Of :func:`hopline.diff`."""


class Reproduction(Result, documents.ReproduceDocument):
    """Of :func:`hopline.reproduce`."""
