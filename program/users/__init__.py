"""What is known of a listener: the store of likes and plays, how they get into it, and what they say about taste."""
