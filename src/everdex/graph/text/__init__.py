"""What files write, found without resolving them: who writes a name, and what it is where it stands."""
