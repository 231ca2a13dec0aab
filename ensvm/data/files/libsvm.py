"""LIBSVM text: `label index:value ...`, a row a line."""

import io
from typing import ClassVar, Literal

import numpy as np

from ensvm.data.errors import DataError
from ensvm.data.files.content import FileContent, FileFormat, Raw
from ensvm.data.files.labels import plain_labels


class LibsvmFormat(FileFormat):
    """LIBSVM's `label index:value ...`; a line with a label alone is a row of zeros."""

    endings: ClassVar = {".libsvm": {"type": "libsvm"}, ".svm": {"type": "libsvm"}}
    sparse: ClassVar = True

    type: Literal["libsvm"]

    def read(self, file: FileContent) -> Raw:
        """Return the inputs as csr, of `file.features` columns, and the labels."""
        # loaded only where needed: starting up must stay quick
        from sklearn.datasets import load_svmlight_file

        try:
            X, labels = load_svmlight_file(
                io.BytesIO(file.data), n_features=file.features, zero_based="auto"
            )
        except ValueError as error:
            raise DataError(f"{file.where}: is not LIBSVM text: {error}") from error
        if not np.isfinite(X.data).all():
            raise DataError(f"{file.where}: holds a value that is not a finite number")
        if not X.shape[0]:
            raise DataError(f"{file.where}: holds no rows")
        return Raw(X, plain_labels(labels))
