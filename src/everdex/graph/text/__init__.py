"""What files write, found without resolving or parsing them: who writes a name, and what it is where it stands."""
