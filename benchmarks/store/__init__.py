"""The snapshot store's costs, each as a ratio to a peer measured in the same run."""
