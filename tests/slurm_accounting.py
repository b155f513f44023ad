"""A Slurm cluster as in slurm_cluster.py with an accounting database: slurmdbd over MariaDB, all on this host."""

import shutil
import socket
import time
from contextlib import closing

import slurm_cluster
from assay.execute import process_tree

SLURMDBD = """AuthType=auth/none
DbdHost=localhost
DbdPort={port}
SlurmUser={user}
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={storage}
StorageUser=root
StorageLoc=slurm_accounting
LogFile={folder}/log/slurmdbd.log
PidFile={folder}/slurmdbd.pid
"""
SLURM = """AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort={port}
"""


def missing() -> str | None:
    """What lacks for it here, with the command that adds it; None when nothing does."""
    if not all(map(shutil.which, ("slurmdbd", "mariadbd", "sacct"))):
        return "no accounting database for Slurm here: apt-get install slurmdbd mariadb-server-core"
    return slurm_cluster.missing()


class AccountedCluster(slurm_cluster.SlurmCluster):
    """Jobs are forgotten by slurmctld two seconds after their end: only the accounting knows them then."""

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        for each in (getattr(self, name, None) for name in ("_daemon", "_database")):
            if each is not None:
                each.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    def configuration(self, text: str) -> str:
        """Start the database first: slurmctld registers with it."""
        storage = slurm_cluster.free_ports(slurm_cluster.NODES + 3) + slurm_cluster.NODES + 1
        port, folder = storage + 1, self.folder
        user = next(line for line in text.splitlines() if line.startswith("SlurmUser=")).partition("=")[2]
        data, log = folder / "data", folder / "log" / "database"
        about = SLURMDBD.format(port=port, user=user, storage=storage, folder=folder)
        (folder / "slurmdbd.conf").write_text(about)
        (folder / "slurmdbd.conf").chmod(0o600)
        more = SLURM.format(port=port)
        whole = text.replace("MinJobAge=3600", "MinJobAge=2") + more
        (folder / "slurm.conf").write_text(whole)
        data.mkdir()
        server = ("mariadbd", "--no-defaults", "--skip-grant-tables", f"--datadir={data}",
                  f"--socket={folder}/db.sock", f"--port={storage}", "--bind-address=127.0.0.1", f"--user={user}",
                  "--innodb-buffer-pool-size=64M")  # fmt: skip
        daemons = [process_tree.Command(server, log, log), process_tree.Command(("slurmdbd", "-D"), log, log)]
        self._database = process_tree.ProcessTree(daemons[:1], environment=self.environment)
        self._await(storage)
        self._daemon = process_tree.ProcessTree(daemons[1:], environment=self.environment)
        self._await(port)
        self.ask("sacctmgr", "-i", "add", "cluster", "lab")
        return whole

    def _await(self, port: int) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with closing(socket.socket()) as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)
        words = "\n".join(p.read_text()[-1500:] for p in sorted((self.folder / "log").iterdir()))
        raise RuntimeError(f"the accounting database did not start:\n{words}")
