"""`python -m ffnsite`."""

from ffnsite.cli import main

main()
