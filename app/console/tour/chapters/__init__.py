"""The chapters of the tour: each class holds the steps of one part of the job."""
