"""The stock of secure elements, and what the site demands of them."""
