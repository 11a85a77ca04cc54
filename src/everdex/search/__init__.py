"""Questions to ranked answers over one SnapshotView. Reads only; every score can be explained."""
