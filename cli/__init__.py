"""The `ensvm` command."""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130
ENDING = (signal.SIGINT, signal.SIGTERM)  # signals that end a command in an orderly way


def start() -> None:
    """Run the command; an interruption, even while it is loaded, has its own exit status."""
    for number in ENDING:
        signal.signal(number, _leave_at_once)
    from ensvm_cli.main import main

    for number in ENDING:
        signal.signal(number, _leave)
    main()


def _leave_at_once(signum: int, frame: FrameType | None) -> None:
    # Nothing is open yet, and an import may swallow an exception.
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def _leave(signum: int, frame: FrameType | None) -> None:
    for number in ENDING:  # an impatient user's second signal must not disturb the tidying up
        signal.signal(number, signal.SIG_IGN)
    print("interrupted", file=sys.stderr)
    sys.exit(INTERRUPTED)
