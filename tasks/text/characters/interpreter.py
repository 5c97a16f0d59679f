"""What a program of learning to execute prints, found by reading it.

program    = { statement newline } "print(" expression ")"
statement  = name "=" expression [ ";" ]
           | "for x in range(" digits "):" name sign "=" expression
expression = digits | name | "(" expression sign expression ")"
           | "(" expression "*" expression ")"
           | "(" expression " if " expression relation expression
                 " else " expression ")"
"""

import re

STATEMENT = re.compile(r"([a-j])=([^;=]+);?")
LOOP = re.compile(r"for x in range\(([0-9]{1,3})\):([a-j])([+-])=(.+)")
PRINT = re.compile(r"print\((.+)\)")
TOKEN = re.compile(r"[0-9]{1,30}|[a-j]| if | else |[-+*<>()]")
# Heuristic: programs of ten rounds have fewer brackets.
MOST_BRACKETS = 100


class ProgramError(ValueError):
    """A text is no program."""


def run_program(text: str) -> int:
    """The number that a program prints.

    Args:
        text: The program, lines separated by newlines.
    Raises:
        ProgramError: If it is no program of this language.
    """
    *statements, last = text.split("\n")
    variables: dict[str, int] = {}
    for line in statements:
        if found := STATEMENT.fullmatch(line):
            name, expression = found.groups()
            variables[name] = value_of(expression, variables)
        elif found := LOOP.fullmatch(line):
            repeats, name, sign, expression = found.groups()
            for _ in range(int(repeats)):
                step = value_of(expression, variables)
                variables[name] = value_of(name, variables) + int(f"{sign}1") * step
        else:
            raise ProgramError(f"no statement: {line!r}")
    if not (found := PRINT.fullmatch(last)):
        raise ProgramError(f"no print at the end: {last!r}")
    return value_of(found[1], variables)


def value_of(text: str, variables: dict[str, int]) -> int:
    """The value of an expression.

    Raises:
        ProgramError: If it is no expression, or a variable has no value yet.
    """
    tokens = TOKEN.findall(text)
    if "".join(tokens) != text or tokens.count("(") > MOST_BRACKETS:
        raise ProgramError(f"no expression: {text!r}")
    reader = _Reader(tokens, variables)
    value = reader.expression()
    if reader.tokens:
        raise ProgramError(f"no expression: {text!r}")
    return value


class _Reader:
    """Reads an expression from its tokens by recursive descent."""

    def __init__(self, tokens: list[str], variables: dict[str, int]) -> None:
        self.tokens = tokens[::-1]
        self.variables = variables

    def expression(self) -> int:
        token = self.next()
        if token.isdigit():
            return int(token)
        if token in self.variables:
            return self.variables[token]
        if token != "(":
            raise ProgramError(f"no value: {token!r}")
        left, operator = self.expression(), self.next()
        if operator == " if ":
            value = self.choice(left)
        elif operator in ("+", "-", "*"):
            right = self.expression()
            value = {"+": left + right, "-": left - right, "*": left * right}[operator]
        else:
            raise ProgramError(f"no operator: {operator!r}")
        self.expect(")")
        return value

    def choice(self, chosen: int) -> int:
        """The rest of a conditional after its `if`, and its value."""
        left, relation, right = self.expression(), self.next(), self.expression()
        if relation not in ("<", ">"):
            raise ProgramError(f"no relation: {relation!r}")
        holds = left < right if relation == "<" else left > right
        self.expect(" else ")
        other = self.expression()
        return chosen if holds else other

    def next(self) -> str:
        if not self.tokens:
            raise ProgramError("the text ends too early")
        return self.tokens.pop()

    def expect(self, token: str) -> None:
        if (found := self.next()) != token:
            raise ProgramError(f"{token!r} is missing before {found!r}")
