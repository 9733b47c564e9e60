"""The commands on checkpoints, one file each."""
