"""A repository as a whole, in few words: what it is, where it begins, what most of it rests on."""
