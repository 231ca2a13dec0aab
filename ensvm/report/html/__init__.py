"""Results as pages that open from disk: an overview, and a page for each study."""
