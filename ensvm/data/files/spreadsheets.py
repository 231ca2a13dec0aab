"""Sheets of Excel and LibreOffice workbooks, as delimited text with the same rows."""

import csv
import io
import zipfile
from contextlib import suppress
from functools import lru_cache
from typing import Any

from ensvm.data.files.file_content import FileContent, check_size, reading
from ensvm.errors import UserError, did_you_mean

ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the first bytes of Office's older files
_OLE_WORKBOOKS = ("Workbook", "Book", "EncryptedPackage")  # entries of their list of parts
_ODS = b"application/vnd.oasis.opendocument.spreadsheet"


def is_workbook(content: bytes) -> bool:
    """Return whether a file is a workbook of Excel or LibreOffice, whatever its name."""
    if content.startswith(_OLE):
        return any(name.encode("utf-16-le") + b"\0\0" in content for name in _OLE_WORKBOOKS)
    if not content.startswith(b"PK\x03\x04"):
        return False
    with suppress(zipfile.BadZipFile, OSError, ValueError, NotImplementedError, KeyError):
        archive = zipfile.ZipFile(io.BytesIO(content))
        if "mimetype" in archive.namelist():
            return archive.read("mimetype").startswith(_ODS)
        return any(name.startswith("xl/") for name in archive.namelist())
    return False


@lru_cache(maxsize=2)  # names, first rows and rows are asked for one after the other
def as_text(data: bytes, file_name: str, sheet: str | None) -> tuple[FileContent, str]:
    """Return a sheet as comma-delimited UTF-8 text, row by row, and its name.

    Columns without any value are left out. Without the name of a `sheet`, it is the only visible
    one that has values. Raises UserError if there are several, or none, or if merged cells cover
    several rows.
    """
    with reading(file_name, "a whole workbook of Excel or LibreOffice"):
        if data.startswith(b"PK"):
            archive = zipfile.ZipFile(io.BytesIO(data))
            check_size(sum(part.file_size for part in archive.infolist()), file_name)
        try:
            import python_calamine as calamine
        except ImportError as error:
            advice = "pip install 'ensvm[excel]', or save the table as CSV"
            raise UserError(
                f"{file_name}: is an Excel workbook or one of LibreOffice, and reading it needs "
                f"python-calamine; {advice}"
            ) from error
        try:
            workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        except calamine.PasswordError as error:
            raise UserError(f"{file_name}: has a password; save it without one") from error
        visible = calamine.SheetVisibleEnum.Visible
        is_hidden = {each.name: each.visible != visible for each in workbook.sheets_metadata}
        chosen = _chosen_sheet(workbook, is_hidden, sheet, file_name)
        return FileContent(_delimited(chosen, file_name).encode(), file_name), chosen.name


def _chosen_sheet(
    workbook: Any, is_hidden: dict[str, bool], sheet: str | None, file_name: str
) -> Any:
    """Return the sheet that is asked for, or else the only visible one that has values."""
    names = workbook.sheet_names
    if sheet is not None:
        if sheet not in names:
            raise UserError(
                f"{file_name}: sheet: there is no sheet {sheet!r}{did_you_mean(sheet, names)} "
                f"(sheets: {', '.join(names)})"
            )
        return workbook.get_sheet_by_name(sheet)
    visible = [workbook.get_sheet_by_name(name) for name in names if not is_hidden.get(name)]
    filled = [each for each in visible if any(map(any, _rows(each)))]
    if len(filled) != 1:
        listed = ", ".join(repr(each.name) for each in filled)
        what = f"several sheets have values ({listed})" if filled else "no sheet has values"
        hint = "; which one is the table? `format: {sheet: NAME}`, or for `ensvm init` --sheet NAME"
        raise UserError(f"{file_name}: {what}{hint * bool(filled)}")
    return filled[0]


def _delimited(sheet: Any, file_name: str) -> str:
    """Return a sheet as comma-delimited text; rows without values are empty lines."""
    for (first, column), (last, _) in sheet.merged_cell_ranges or ():
        if first != last:
            where = f"sheet {sheet.name!r}, rows {first + 1} to {last + 1}, column {column + 1}"
            raise UserError(
                f"{file_name}: {where}: merged cells; write the value into each of them"
            )
    rows = _rows(sheet)
    used = [at for at, column in enumerate(zip(*rows, strict=True)) if any(column)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        if any(row):
            writer.writerow([row[at] for at in used])
        else:
            text.write("\n")
    return text.getvalue()


def _rows(sheet: Any) -> list[list[str]]:
    """Return the texts of all cells; empty for those without a value, and for errors."""
    return [[_text(cell) for cell in row] for row in sheet.to_python(skip_empty_area=False)]


def _text(cell: Any) -> str:
    """Return a cell on one line; numbers as Python writes them, dates as 2026-01-31."""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return " ".join(str(cell).split())
