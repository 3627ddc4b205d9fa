"""What goes wrong because of what the user gave."""


class UserError(Exception):
    """One line that names the file, the column and the remedy; the program ends with exit code 2."""


def one_line(error: BaseException) -> str:
    """Return an error's message as one line."""
    return " ".join(str(error).split()) or type(error).__name__
