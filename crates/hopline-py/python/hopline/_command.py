"""The command ``hopline``, which the wheel carries too."""

from __future__ import annotations

import signal
import sys

from . import _hopline


def main() -> int:
    """Run the command line; its exit code."""
    # The command has handlers of its own where it wants any.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _hopline.command(["hopline", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
