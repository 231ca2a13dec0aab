"""Records of several folders and files united: every cell once, no cell with two answers."""
