"""The classes of faults, in the order of the table."""

from faults.damaged_records import Damaged, FlippedBits
from faults.full_disk import FullDisk
from faults.hostile import Hostile
from faults.kills import Kills
from faults.malformed_configs import MalformedConfigs
from faults.malformed_data import MalformedData
from faults.outcome import FaultClass

CLASSES: tuple[type[FaultClass], ...] = (
    Kills,
    Hostile,
    FullDisk,
    Damaged,
    FlippedBits,
    MalformedData,
    MalformedConfigs,
)
