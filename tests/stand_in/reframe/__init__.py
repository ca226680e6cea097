"""Stands in for ReFrame where it is not installed: as much of it as examples/ci/reframe_spmodel.py uses, evaluated at
once instead of deferred. run_reframe.py runs tests with it."""
import copy
import inspect
import itertools

from reframe.core.builtins import parameter, variable

simple_tests = []


def simple_test(cls):
    simple_tests.append(cls)
    return cls


class RunOnlyRegressionTest:
    reference = {}
    stdout = 'rfm_job.out'

    @classmethod
    def variants(cls):
        """One instance for each combination of parameters."""
        members = {name: inspect.getattr_static(cls, name) for name in dir(cls)}
        parameters = {name: m.values for name, m in members.items() if isinstance(m, parameter)}
        for values in itertools.product(*parameters.values()):
            test = cls()
            test.parameters = dict(zip(parameters, values))
            for name, m in members.items():
                if isinstance(m, variable):
                    setattr(test, name, copy.deepcopy(m.value))
            for name, value in test.parameters.items():
                setattr(test, name, value)
            yield test

    def marked(self, mark):
        """The methods that a decorator marked so."""
        return [getattr(self, name) for name in dir(type(self))
                if getattr(inspect.getattr_static(type(self), name), 'mark', None) == mark]
