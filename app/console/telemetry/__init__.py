"""What moves: the one telemetry stream and the rings of measurements that it fills."""
