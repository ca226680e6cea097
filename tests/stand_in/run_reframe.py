"""Runs the tests of a file with the stand-in for ReFrame beside this one: run_reframe.py FILE STAGE"""
import importlib.util
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reframe as rfm
import reframe.utility.sanity as sn


def run_hooks(test, mark):
    for hook in test.marked(mark):
        hook()


def check_reference(test, key, value):
    reference = test.reference.get('*', {}).get(key)
    if not reference:
        return
    expected, lower, upper, _ = reference
    if (lower is not None and value < expected * (1 + lower)) or (upper is not None and value > expected * (1 + upper)):
        raise sn.SanityError(f'{key} is {value}, its reference {reference}')


def run_test(test, stage):
    test.stagedir = stage
    os.makedirs(stage)
    run_hooks(test, 'before run')
    with open(os.path.join(stage, test.stdout), 'w') as out:
        subprocess.run([test.executable, *test.executable_opts], cwd=stage, stdout=out, check=False)
    os.chdir(stage)
    for check in test.marked('sanity'):
        if not check():
            raise sn.SanityError('the sanity function says no')
    run_hooks(test, 'before performance')
    for key, (value, unit) in test.perf_variables.items():
        print(f'P: {key}: {value} {unit}')
        check_reference(test, key, value)


def main(file, stage):
    spec = importlib.util.spec_from_file_location('tests_of_file', file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    failed = 0
    mine = [cls for cls in rfm.simple_tests if cls.__module__ == 'tests_of_file']
    for number, test in enumerate(test for cls in mine for test in cls.variants()):
        name = f'{type(test).__name__} {test.parameters}'
        try:
            run_test(test, os.path.join(stage, str(number)))
            print(f'OK {name}')
        except (sn.SanityError, OSError) as why:
            print(f'FAIL {name}: {why}')
            failed += 1
    return 1 if failed or not mine else 0


sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])))
