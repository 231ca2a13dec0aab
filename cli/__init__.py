"""The `ensvm` command."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

INTERRUPTED = 130
ENDING = (signal.SIGINT, signal.SIGTERM)  # signals that end a command in an orderly way


def start() -> None:
    """Run the command; an interruption, even while it is loaded, has its own exit status."""
    on_ending(leave_at_once)
    from ensvm_cli.main import main

    on_ending(_leave)
    main()


def on_ending(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    """Have the signals that end a command handled so from now on."""
    for number in ENDING:
        signal.signal(number, handler)


def leave_at_once(signum: int, frame: FrameType | None) -> None:
    """End this process while nothing is open yet: what is loaded may swallow an exception."""
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def _leave(signum: int, frame: FrameType | None) -> None:
    on_ending(signal.SIG_IGN)  # an impatient user's second signal must not disturb the tidying up
    print("interrupted", file=sys.stderr)
    sys.exit(INTERRUPTED)
