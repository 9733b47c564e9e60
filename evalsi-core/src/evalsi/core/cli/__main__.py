"""`python -m evalsi.core.cli` is the command `evalsi`."""

from evalsi.core.cli import main

if __name__ == "__main__":
    main()
