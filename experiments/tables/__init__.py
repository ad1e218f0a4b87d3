"""One file a table: what is asked, and how its answers become figures beside the paper's."""
