"""What keeps a cell from hurting others: its inputs, its answers, what surrounds it."""
