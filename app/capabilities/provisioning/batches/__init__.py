"""Batches: many people, a stack of blank cards, any number of readers."""
