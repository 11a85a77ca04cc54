"""The Model Context Protocol server: the service's answers as tools for a coding agent."""
