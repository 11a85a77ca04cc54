"""What an edit leaves as it was: the same text, lines that were only added, answers that still hold."""
