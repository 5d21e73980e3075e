"""HR lifecycle: a discharge that an HR system reports ends all access of that employee (specification 6.2)."""
