"""Every published cell beside its simulated twin: errors, allowances, and what a description rests on."""
