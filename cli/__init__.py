"""The `ensvm` command: how it starts, and how signals end it."""

import codecs
import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable
from types import FrameType

INTERRUPTED = 130
# Records and most other objects stay until a command ends: looking for garbage after every 700 new
# ones, which is Python's own number, takes a tenth of the time of `ensvm table`.
OBJECTS_BETWEEN_COLLECTIONS = 100_000
# Signals that end a command in an orderly way. A terminal that is closed sends SIGHUP, which does
# not exist on Windows; under `nohup` it is ignored.
ENDING = [signal.SIGINT, signal.SIGTERM]
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
    ENDING.append(signal.SIGHUP)


def start() -> None:
    """Run the command; if it is interrupted, even while it is loaded, it exits with 130."""
    on_ending(leave_at_once)
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    _mend_streams()
    # Python would look into the folder of the script before its own; this may be any folder.
    if sys.path[:1] == [os.path.dirname(os.path.realpath(sys.argv[0]))]:
        del sys.path[0]
    # Figures are drawn into files. A notebook names a backend that ensvm's environment may lack.
    os.environ["MPLBACKEND"] = "agg"
    # Of a machine without /dev/shm: a run says so, and no other verb starts processes.
    warnings.filterwarnings("ignore", message=".*joblib will operate in serial mode")
    from ensvm_cli.main import main

    on_ending(_leave)
    main()


# What stands for the signs of tables at a terminal without Unicode
PLAIN = {"≈": "~", "≠": "!=", "±": "+-", "†": "+", "−": "-", "–": "-", "—": "-", "…": "..."}


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Return what is printed for letters that a terminal does not have."""
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    return "".join(PLAIN.get(letter, "?") for letter in missing), error.end


def _mend_streams() -> None:
    """Let a closed stream, or letters that a terminal does not have, never end a command."""
    codecs.register_error("ensvm", _plain)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="ensvm")


def on_ending(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    """Set the handler of the signals that end a command."""
    for number in ENDING:
        signal.signal(number, handler)


def leave_at_once(signum: int, frame: FrameType | None) -> None:
    """End this process while nothing is open yet: imports may swallow an exception."""
    try:
        os.write(2, b"interrupted\n")
    finally:  # the terminal may be closed
        os._exit(INTERRUPTED)


def _leave(signum: int, frame: FrameType | None) -> None:
    on_ending(signal.SIG_IGN)  # a second signal must not disturb the tidying up
    print("interrupted", file=sys.stderr)
    sys.exit(INTERRUPTED)
