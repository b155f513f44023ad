"""Every published cell and its simulated twin: errors, allowances, and what a description rests on."""
