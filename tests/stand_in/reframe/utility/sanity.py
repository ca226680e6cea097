import builtins
import re


class SanityError(Exception):
    pass


def evaluate(value):
    return value


def all(checks):
    return builtins.all(checks)


def extractall(pattern, file, tags):
    with open(file) as lines:
        return [tuple(found[tag] for tag in tags) for found in (re.search(pattern, line) for line in lines) if found]


def extractsingle(pattern, file, tag, convert):
    found = extractall(pattern, file, (tag,))
    if not found:
        raise SanityError(f'{pattern} is not in {file}')
    return convert(found[0][0])


def assert_found(pattern, file, message):
    if not extractall(pattern, file, (0,)):
        raise SanityError(message)
    return True


def make_performance_function(value, unit):
    return value, unit
