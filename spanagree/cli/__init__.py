"""The command line: arguments in, report out. It computes nothing and knows no formats."""
