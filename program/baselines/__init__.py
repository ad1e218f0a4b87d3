"""Systems to compare Melo with: the same tools, sets and backbones, and none of its defences."""
