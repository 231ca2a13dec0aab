"""The paper's figures: the data behind them, and their drawing."""
