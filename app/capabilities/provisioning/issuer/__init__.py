"""The site as a card's issuer: its authority, its certificates, its card secrets."""
