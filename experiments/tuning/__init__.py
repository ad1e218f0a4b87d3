"""What `melo tune` puts together: parts of an objective, rows that are held out, the comparison and the settings file."""
