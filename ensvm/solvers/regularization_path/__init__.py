"""The exact and the approximate regularization path of the SVM, and leave-one-out values."""
