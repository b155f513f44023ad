"""ReFrame tests that run Assay and take its figures from its JSON document.

    reframe -c assay_checks.py -r --performance-report

`assay` must be on the PATH of the job. References are given in your settings or below, as for any ReFrame test; a
figure that its check refused has no value, and the sanity check fails then.
"""

# ruff: noqa: RUF012, F821 (ReFrame declares tests in this way)

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn


class AssayBase(rfm.RunOnlyRegressionTest):
    """Runs `assay run BENCHMARK --json` with any further words, and reads the document that it prints."""

    benchmark = variable(str)
    words = variable(list, value=[])
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "assay"
    local = True

    @run_before("run")
    def command(self):
        """Make the command line."""
        self.executable_opts = ["run", self.benchmark, *self.words, "--out", "run", "--quiet", "--json"]

    @property
    def document(self):
        """The document that the command printed."""
        return json.loads((Path(self.stagedir) / str(self.stdout)).read_text())

    @sanity_function
    def is_valid(self):
        """Whether every check of the benchmark passed."""
        return sn.assert_true(self.document["valid"], msg="; ".join(self.document["warnings"]))

    @run_before("performance")
    def figures(self):
        """Take every main figure, named after its case."""
        for each in self.document["headlines"]:
            case = "_".join(f"{key}{value}" for key, value in each["params"].items() if value is not None)
            name = f"{each['name']}_{case}" if case else each["name"]
            self.perf_variables[name] = sn.make_performance_function(sn.defer(each["value"]), each["unit"])


@rfm.simple_test
class AssayStream(AssayBase):
    """The memory bandwidth of a node."""

    benchmark = "stream"
    words = ["--launches", "3"]
    tags = {"measured"}


@rfm.simple_test
class AssayEchoDescribed(AssayBase):
    """The echo on a machine that is only described: the same on every host, to try this file without waiting."""

    benchmark = "echo"
    words = ["--on", "ipsc860", "-n", "2", "--set", "bytes=8,1024"]
    tags = {"described"}
