"""What pages state of results and of the code is what these say."""

import re
from dataclasses import replace

import generated
import pytest

from ensvm.report.documents.findings_document import filled_line
from ensvm.study.findings import PLACEHOLDER


@pytest.mark.parametrize("work", generated.CAME_OUT)
def test_what_came_out_of_a_work_follows_its_records(work):
    text = generated.CAME_OUT[work]
    assert not re.search(r"\d", PLACEHOLDER.sub("", text))
    study = generated.results_of(work)
    assert filled_line(replace(study, records={}), text) != filled_line(study, text)
