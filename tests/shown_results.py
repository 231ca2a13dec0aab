"""Writes what the shipped records of studies show: tables, claims, figures, README.md.

`python tests/shown_results.py [STUDY...]` writes the named studies, or all; `make generated` too.
"""

import sys

from made_up_records import read_results

from ensvm.errors import UserError
from ensvm.records.store import SHIPPED_FILE
from ensvm.report.ranking import rank_over_data_sets
from ensvm.report.study_folder import Study
from ensvm.report.write import (
    write_claims,
    write_figures,
    write_first_page,
    write_ranking,
    write_readings,
    write_tables,
)
from ensvm.shipped import shipped_results


def write_results(study: Study) -> None:
    """Write all files that are made from a study's records; ranks if nothing is printed."""
    list(write_tables(study, "md"))
    if study.config.claims:
        write_claims(study)
    write_readings(study)
    list(write_figures(study))
    for table in () if study.config.published else study.config.tables:
        try:
            write_ranking(rank_over_data_sets(study, table))
        except UserError as error:  # `ensvm rank` says why a table is not ranked
            print(f"{study.config.study}, table {table.id}: {error}")
    write_first_page(study)


if __name__ == "__main__":
    results = shipped_results()
    names = sys.argv[1:] or sorted(path.parent.name for path in results.glob(f"*/{SHIPPED_FILE}"))
    for name in names:
        write_results(read_results(results / name))
