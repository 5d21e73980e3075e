"""The site's card readers: which card is in which reader, one thread a reader, and cards that do not answer."""
