"""Checks that run tests of the suite, property tests with more cases, for
`reliability.py`."""

import collections
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import click

ROOT = pathlib.Path(__file__).parents[2]


def run_tests(report, *arguments, env=None):
    """Runs tests. Returns the XML element with their results."""
    command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}"]
    command += ["-o", "junit_family=xunit1"]  # the one that has properties
    subprocess.run([*command, *arguments], cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
    suite = next(xml.etree.ElementTree.parse(report).iter("testsuite"))
    for kind in ("failure", "error"):
        for broken in suite.iter(kind):  # with the case that failed
            click.echo(broken.text, err=True)
    return suite


def property_tests(*arguments):
    """Makes a check that runs property tests with `count` cases each."""

    def check(count, folder):
        environment = os.environ | {"MEMNETS_FUZZ_CASES": str(count)}
        suite = run_tests(folder / "report.xml", *arguments, env=environment)
        failed = int(suite.get("failures")) + int(suite.get("errors"))
        outcomes = collections.Counter()
        for record in suite.iter("property"):
            if record.get("value").isdigit():  # hypothesis adds other properties
                outcomes[record.get("name")] += int(record.get("value"))
        cases = f"{outcomes.total():,} cases" if outcomes else f"{count:,} cases each"
        return {
            "tried": f"{cases} in {suite.get('tests')} properties",
            "wrong": failed,
            "found": f"{failed} properties broken"
            + "".join(f", {n:,} {name}" for name, n in outcomes.most_common()),
        }

    return check


def tests_of(what, *arguments):
    """Makes a check that runs tests without random cases."""

    def check(count, folder):
        suite = run_tests(folder / "report.xml", *arguments)
        failed = int(suite.get("failures")) + int(suite.get("errors"))
        kinds = collections.Counter(s.get("type") for s in suite.iter("skipped"))
        impossible, not_offered = kinds["pytest.xfail"], kinds["pytest.skip"]
        tried = int(suite.get("tests")) - not_offered
        found = f"{tried - impossible - failed} hold, {failed} do not"
        if impossible:
            found += f", {impossible} are impossible in Keras"
        return {"tried": f"{tried} {what}", "wrong": failed, "found": found}

    return check
