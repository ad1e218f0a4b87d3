"""One node at a time: the cases on which it asks an LM, how a reply scores, and which replies are right."""
