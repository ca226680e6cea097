class parameter:
    def __init__(self, values):
        self.values = list(values)


class variable:
    def __init__(self, *types, value=None):
        if not isinstance(value, types):
            raise TypeError(f'{value!r} is not of {types}')
        self.value = value


def run_before(stage):
    def mark(function):
        function.mark = f'before {stage}'
        return function
    return mark


def sanity_function(function):
    function.mark = 'sanity'
    return function
