"""What capabilities tell each other and the world: events, interfaces that they share, alarms."""
