"""What every recipe runs on: the budget around the LM, the board of proposals, the student, the whole run."""
