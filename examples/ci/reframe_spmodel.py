"""spmodel as ReFrame tests: the figures of `spmodel analyze --lines`, held against references.

    reframe -c reframe_spmodel.py -r
    reframe -c reframe_spmodel.py -r -S SpmodelGate.spmodel=/opt/spmodel/bin/spmodel

SpmodelTest is the class to derive from: matrices and formats are parameters, `options` are those of spmodel analyze,
`figures` the keys of lines that are performance variables. One that spmodel could not find out (`unknown`) fails the
test where it is among `needed`, as every figure with a reference should be, and is left out otherwise.
"""
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_before, sanity_function, variable

# KEY: VALUE UNIT (ORIGIN), as docs/tracking.md has it; unknown values do not match.
FIGURE = r'^(?P<key>\w+): (?P<value>-?\d\.\d+e[-+]\d+) (?P<unit>\S+) \((?P<origin>[^)]*)\)$'


class SpmodelTest(rfm.RunOnlyRegressionTest):
    """One matrix in one format."""

    matrix = parameter(['gen:laplace2d:60'])
    layout = parameter(['crs'])
    spmodel = variable(str, value='spmodel')
    options = variable(list, value=['--runs', '3'])
    figures = variable(list, value=['time', 'performance', 'bandwidth', 'bandwidth_fraction', 'bytes', 'balance', 'alpha'])
    needed = variable(list, value=['time'])
    valid_systems = ['*']
    valid_prog_environs = ['*']

    @run_before('run')
    def set_command(self):
        matrix = os.path.abspath(self.matrix) if os.path.exists(self.matrix) else self.matrix
        self.executable = self.spmodel
        self.executable_opts = ['analyze', '--lines', '--quiet', '--no-plots', '--no-hints', '--format', self.layout,
                                *self.options, matrix]

    @sanity_function
    def result_is_right(self):
        """The run is complete, y is right, and what is needed is known."""
        checks = [sn.assert_found(r'^status: complete$', self.stdout, 'the analysis is not complete'),
                  sn.assert_found(r'^verify: ok$', self.stdout, 'the result is wrong, or was not checked')]
        checks += [sn.assert_found(rf'^{key}: -?\d', self.stdout, f'{key} is unknown') for key in self.needed]
        return sn.all(checks)

    @run_before('performance')
    def take_figures(self):
        lines = os.path.join(self.stagedir, str(sn.evaluate(self.stdout)))
        found = sn.evaluate(sn.extractall(FIGURE, lines, ('key', 'value', 'unit')))
        self.perf_variables = {key: sn.make_performance_function(sn.extractsingle(
            rf'^{key}: (\S+) ', lines, 1, float), unit) for key, _, unit in found if key in self.figures}


class SpmodelRanks(SpmodelTest):
    """One matrix over the ranks of an MPI job, which spmodel starts itself with mpirun: halo and messages of a product are
    exact, and counted as predicted. Derive from it with the numbers of ranks and partitions that matter to you."""

    ranks = parameter([2])
    partition = parameter(['rows'])
    figures = ['time', 'performance', 'halo', 'messages']
    needed = ['halo', 'messages']

    @run_before('run')
    def set_command(self):
        matrix = os.path.abspath(self.matrix) if os.path.exists(self.matrix) else self.matrix
        self.executable = self.spmodel
        self.executable_opts = ['analyze', '--mpi', '--ranks', str(self.ranks), '--partition', self.partition, '--lines',
                                '--quiet', '--no-plots', '--no-hints', matrix]

    @sanity_function
    def result_is_right(self):
        """Besides, each pair of ranks sent the bytes that the halo predicts."""
        return sn.all([sn.assert_found(r'^status: complete$', self.stdout, 'the analysis is not complete'),
                       sn.assert_found(r'^verify: ok$', self.stdout, 'the result is wrong, or was not checked'),
                       sn.assert_found(r'^counted: as predicted$', self.stdout, 'other messages than predicted'),
                       *[sn.assert_found(rf'^{key}: -?\d', self.stdout, f'{key} is unknown') for key in self.needed]])


@rfm.simple_test
class SpmodelGate(SpmodelTest):
    """Simulated bytes, which no noise touches: with the machine named they are the same on every runner. Padding and
    chunk pointers of SELL are 1.8 % more than CRS moves; an order that scatters x would be far beyond the 3 %."""

    matrix = parameter(['gen:laplace2d:60'])
    layout = parameter(['crs', 'sell:8,128'])
    options = ['--threads', '2', '--store', 'plain', '--bytes', 'sim', '--machine', 'zen4-vm-2c', '--sim-llc', '1MiB',
               '--samples', '5', '--budget', '100ms']
    reference = {'*': {'balance': (8.87, None, 0.03, 'B/flop'), 'alpha': (0.21, None, 0.03, '1')}}
    needed = ['balance', 'alpha']
