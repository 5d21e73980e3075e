"""What palm and stylized templates share: registries, galleries, matching, enrolment, bundles of terminals."""
