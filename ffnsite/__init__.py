"""Chinese prose whose every number is bound to a computed fact or a cited value, and checked."""
