"""Text from strangers on its way to a terminal: nothing in it may act on one."""


def printable(text: str, longest: int) -> str:
    """The text with what cannot be printed escaped; cut at the end if it is longer."""
    if len(text) > longest:
        text = text[: longest - 3] + "..."
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
