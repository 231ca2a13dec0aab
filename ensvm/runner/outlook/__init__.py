"""How far a study is, what is left of it, and what that costs."""
