"""Every row of the tables of docs/deadlock.md: what deadlock_tables.py checks a part of."""

import unittest

import deadlock_tables


class WholePage(deadlock_tables.Page):
    step = 1


if __name__ == "__main__":
    unittest.main()
