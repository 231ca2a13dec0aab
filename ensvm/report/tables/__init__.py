"""Tables laid out as in the paper, the printed number beside ours."""
