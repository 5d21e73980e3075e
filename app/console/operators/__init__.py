"""Who sits at this console: signing in and out, the lock, the operator's card, and what a locked window may say."""
