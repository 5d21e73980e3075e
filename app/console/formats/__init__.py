"""Files of unknown origin: spreadsheets and pictures."""
