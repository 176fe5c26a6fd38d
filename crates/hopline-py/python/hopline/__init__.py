"""Which links of your network will your MPI job overload, before it runs, and which rank order avoids it?

>>> import hopline
>>> r = hopline.map(hopline.Fabric("percs:ns=32,nd=4"), "halo:grid=64x64", mapping="default,mod-coloring", routing="direct")
>>> r.best.throughput_gb_s
64.0
"""

from ._calls import check_schedule, collective, flits, load, map, power, problem, replay, whatif
from ._errors import Error, InputError, Interrupted, RunError
from ._fabric import Fabric
from ._hopline import __version__, schema
from ._job import Job
from ._machines import check, compare, diff, reproduce, route, show
from ._result import Record, Result
from ._strategy import Problem
from ._table import Table

__all__ = [
    "Error",
    "Fabric",
    "InputError",
    "Interrupted",
    "Job",
    "Problem",
    "Record",
    "Result",
    "RunError",
    "Table",
    "__version__",
    "check",
    "check_schedule",
    "collective",
    "compare",
    "diff",
    "flits",
    "load",
    "map",
    "power",
    "problem",
    "replay",
    "reproduce",
    "route",
    "schema",
    "show",
    "whatif",
]
