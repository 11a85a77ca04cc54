"""Words to vectors. Embedders are static and offline; the cache saves work, never decides an answer."""
