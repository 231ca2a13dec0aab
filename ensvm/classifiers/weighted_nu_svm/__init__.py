"""The machines of Rangel, Lozano & Garcia (ICMLA-05): weighted, weakened, edited, boosted."""
