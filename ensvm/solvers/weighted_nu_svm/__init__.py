"""The nu-SVM on a distribution over its examples (Rangel, Lozano & Garcia, ICMLA-05)."""
