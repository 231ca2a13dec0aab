"""Small workbooks of Excel and LibreOffice, written cell by cell."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from xml.sax.saxutils import escape

Cell = str | float | bool | date | None
Sheets = Mapping[str, Sequence[Sequence[Cell]]]
EXCEL = "http://schemas.openxmlformats.org"
OPEN = "urn:oasis:names:tc:opendocument:xmlns"
FIRST_DAY = date(1899, 12, 30)  # which Excel counts as day 0
DATE = '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'  # the second style


def zipped(files: Mapping[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def xlsx(sheets: Sheets, *, hidden: Sequence[str] = (), merged: str = "") -> bytes:
    """Return a workbook; `merged` is a range of the first sheet, such as A1:A2."""
    main, relations = f"{EXCEL}/spreadsheetml/2006/main", f"{EXCEL}/package/2006/relationships"
    kinds = f"{EXCEL}/officeDocument/2006/relationships"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{EXCEL}/package/2006/content-types"/>',
        "_rels/.rels": (
            f'<Relationships xmlns="{relations}"><Relationship Id="r0" '
            f'Type="{kinds}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/styles.xml": f'<styleSheet xmlns="{main}">{DATE}</styleSheet>',
    }
    listed, targets = "", f'<Relationship Id="s" Type="{kinds}/styles" Target="styles.xml"/>'
    for number, (name, rows) in enumerate(sheets.items()):
        state = ' state="hidden"' if name in hidden else ""
        listed += f'<sheet name="{escape(name)}" sheetId="{number + 1}" r:id="r{number}"{state}/>'
        targets += (
            f'<Relationship Id="r{number}" Type="{kinds}/worksheet" Target="sheet{number}.xml"/>'
        )
        cells = "".join(f"<row>{''.join(map(_excel_cell, row))}</row>" for row in rows)
        range_ = f'<mergeCells><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
        files[f"xl/sheet{number}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData>{range_}</worksheet>'
        )
        merged = ""
    files["xl/workbook.xml"] = (
        f'<workbook xmlns="{main}" xmlns:r="{kinds}"><sheets>{listed}</sheets></workbook>'
    )
    files["xl/_rels/workbook.xml.rels"] = (
        f'<Relationships xmlns="{relations}">{targets}</Relationships>'
    )
    return zipped(files)


def _excel_cell(value: Cell) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, str) and value.startswith("="):  # a formula without a cached value
        return f"<c><f>{escape(value[1:])}</f></c>"
    if isinstance(value, str) and value.startswith("#"):
        return f'<c t="e"><v>{value}</v></c>'
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        return f'<c s="1"><v>{(value - FIRST_DAY).days}</v></c>'
    return f"<c><v>{value!r}</v></c>"


def ods(sheets: Sheets) -> bytes:
    """Return a workbook of LibreOffice."""
    tables = ""
    for name, rows in sheets.items():
        cells = "".join(
            f"<table:table-row>{''.join(map(_open_cell, row))}</table:table-row>" for row in rows
        )
        tables += f'<table:table table:name="{name}">{cells}</table:table>'
    spaces = " ".join(f'xmlns:{name}="{OPEN}:{name}:1.0"' for name in ("office", "table", "text"))
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>{tables}"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = f'<manifest:manifest xmlns:manifest="{OPEN}:manifest:1.0"/>'
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": content,
            "META-INF/manifest.xml": manifest,
        }
    )


def _open_cell(value: Cell) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, str):
        kind = 'office:value-type="string"'
    elif isinstance(value, bool):
        kind = f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
    elif isinstance(value, date):
        kind = f'office:value-type="date" office:date-value="{value.isoformat()}"'
    else:
        kind = f'office:value-type="float" office:value="{value!r}"'
    return f"<table:table-cell {kind}><text:p>{escape(str(value))}</text:p></table:table-cell>"
