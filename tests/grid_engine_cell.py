"""A Grid Engine cell on this host, for tests: master and one execution host, configured in a folder of its own.

From Debian's packages (gridengine-master, -exec, -client), whose own cell and services stay as they are: SGE_ROOT, the
spool and both ports are the test's. Both daemons stay in the foreground (SGE_ND) under one leash.
"""

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from assay.execute import process_tree
from slurm_cluster import free_ports

SYSTEM = Path("/usr/lib/gridengine")
SHARED = Path("/usr/share/gridengine")
BOOTSTRAP = """admin_user none
default_domain none
ignore_fqdn true
spooling_method classic
spooling_lib libspoolc
spooling_params {root}/cell/common;{root}/spool/qmaster
binary_path {system}
qmaster_spool_dir {root}/spool/qmaster
security_mode none
listener_threads 2
worker_threads 2
scheduler_threads 1
"""
ENVIRONMENT = """pe_name assay
slots 9999
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule $fill_up
control_slaves FALSE
job_is_first_task TRUE
urgency_slots min
accounting_summary FALSE
qsort_args NONE
"""
UNLIMITED = [f"{kind}_{what} INFINITY" for what in ("rt", "cpu", "fsize", "data", "stack", "core", "rss", "vmem")
             for kind in ("s", "h")]  # fmt: skip
QUEUE = ["qname all.q", "hostlist localhost", "seq_no 0", "nsuspend 1", "suspend_interval 00:05:00", "priority 0",
         "min_cpu_interval 00:05:00", "processors UNDEFINED", "qtype BATCH", "pe_list assay", "rerun FALSE",
         "tmpdir /tmp", "shell /bin/sh", "shell_start_mode posix_compliant", "notify 00:00:60",
         "initial_state default", *UNLIMITED,
         *(f"{key} NONE" for key in ("load_thresholds", "suspend_thresholds", "ckpt_list", "prolog", "epilog",
           "starter_method", "suspend_method", "resume_method", "terminate_method", "owner_list", "user_lists",
           "xuser_lists", "subordinate_list", "complex_values", "projects", "xprojects", "calendar"))]  # fmt: skip
HOST = ["hostname localhost", *(f"{key} NONE" for key in ("load_scaling", "complex_values", "user_lists", "projects",
        "xuser_lists", "xprojects", "usage_scaling", "report_variables"))]  # fmt: skip


def missing() -> str | None:
    """What lacks for a cell here, with the command that adds it; None when nothing does."""
    if all(shutil.which(name) for name in ("sge_qmaster", "sge_execd", "qsub")) and (SYSTEM / "spoolinit").exists():
        return None
    return "no Grid Engine here: apt-get install gridengine-master gridengine-exec gridengine-client"


class GridEngineCell:
    """A running cell of one host with `slots` slots."""

    def __init__(self, slots: int = 18) -> None:
        self.slots = slots
        self.root = Path(tempfile.mkdtemp(prefix="assay-sge-"))
        first = free_ports(2)
        architecture = subprocess.run([SHARED / "util/arch"], capture_output=True, text=True, check=True).stdout.strip()
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("SGE_")},
            "SGE_ROOT": str(self.root), "SGE_CELL": "cell", "SGE_ARCH": architecture, "SGE_ND": "1",
            "SGE_QMASTER_PORT": str(first), "SGE_EXECD_PORT": str(first + 1),
            "PATH": f"{os.environ['PATH']}:/usr/sbin",
        }  # fmt: skip

    def __enter__(self) -> "GridEngineCell":
        try:
            self._configure()
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for each in ("_execution", "_master"):
            if hasattr(self, each):
                getattr(self, each).release()
        shutil.rmtree(self.root, ignore_errors=True)

    def ask(self, *command: str) -> str:
        """Standard output of a command on this cell."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60)
        return done.stdout + (done.stderr if done.returncode else "")

    def _file(self, name: str, text: str) -> str:
        (self.root / name).write_text(text)
        return str(self.root / name)

    def _configure(self) -> None:
        root = self.root
        for name in ("cell/common", "spool/qmaster/job_scripts", "spool/execd"):
            (root / name).mkdir(parents=True)
        for name in ("bin", "lib", "util", "utilbin"):
            (root / name).symlink_to(f"/var/lib/gridengine/{name}")
        (root / "cell/common/bootstrap").write_text(BOOTSTRAP.format(root=root, system=SYSTEM))
        (root / "cell/common/act_qmaster").write_text("localhost\n")
        (root / "cell/common/host_aliases").write_text(f"localhost {socket.gethostname()}\n")
        changed = {"execd_spool_dir": str(root / "spool/execd"), "min_uid": "0", "min_gid": "0"}
        lines = (SHARED / "default-configuration").read_text().replace("flush_time=00:00:15", "flush_time=00:00:01")
        words = (line.split(None, 1) for line in lines.splitlines() if line and not line.startswith("#"))
        text = "".join(f"{key} {changed.get(key, value)}\n" for key, value in words)
        spool = f"{root}/cell/common;{root}/spool/qmaster"
        self.ask(str(SYSTEM / "spoolinit"), "classic", "libspoolc", spool, "init")
        defaults = str(SYSTEM / "spooldefaults")
        self.ask(defaults, "configuration", self._file("configuration", text))
        self.ask(defaults, "complexes", str(SHARED / "util/resources/centry"))
        self.ask(defaults, "usersets", str(SHARED / "util/resources/usersets"))
        self.ask(defaults, "managers", getpass.getuser())

    def _daemon(self, name: str) -> process_tree.ProcessTree:
        log = self.root / f"{name}.log"
        return process_tree.ProcessTree([process_tree.Command((name,), log, log)], environment=self.environment)

    def _until(self, what: str, *command: str, shows: str) -> None:
        end = time.monotonic() + 60
        while shows not in self.ask(*command):
            if time.monotonic() > end:
                logs = "\n".join(path.read_text()[-1500:] for path in self.root.glob("*.log"))
                raise RuntimeError(f"{what} did not start: {self.ask(*command)}\n{logs}")
            time.sleep(0.1)

    def _start(self) -> None:
        self._master = self._daemon("sge_qmaster")
        self._until("the master", "qconf", "-sh", shows="localhost")
        self.ask("qconf", "-as", "localhost")
        for option, name, lines in (
            ("-Ae", "host", HOST), ("-Ap", "environment", ENVIRONMENT.splitlines()),
            ("-Aq", "queue", [*QUEUE, f"slots {self.slots}"]),
        ):  # fmt: skip
            self.ask("qconf", option, self._file(name, "\n".join(lines) + "\n"))
        fast = {"schedule_interval": "0:0:1", "flush_submit_sec": "1", "flush_finish_sec": "1",
                "job_load_adjustments": "NONE", "load_adjustment_decay_time": "0:0:0"}  # fmt: skip
        words = (line.split(None, 1) for line in self.ask("qconf", "-ssconf").splitlines())
        text = "".join(f"{key} {fast.get(key, value)}\n" for key, value in words)
        self.ask("qconf", "-Msconf", self._file("scheduler", text))
        self._execution = self._daemon("sge_execd")
        self._until("the execution host", "qhost", shows="lx-")
