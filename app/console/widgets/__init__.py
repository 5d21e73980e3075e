"""Parts that pages are made of. None of them knows a page, a session or the API."""
