"""Where runs are kept: MLflow, in a SQLite store in the user's own folder unless `MLFLOW_TRACKING_URI` names another.

Only the client is used: no global run, nothing logged by itself, no name of the user, the machine or the code's origin.
"""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

import platformdirs

from data.errors import InfrastructureError
from experiments.commands.progress import say
from program.lm.environment import private_defaults, private_folder, user_cache

if TYPE_CHECKING:
    from mlflow.tracking import MlflowClient

_KEY = "melo.key"
_CHILD = "melo.child"
_PARENT = "mlflow.parentRunId"
_PAGE = 1_000
_FEW_RETRIES = ("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")
"""A server that is down is told after seconds; MLflow by itself tries for minutes."""
_NOISY = ("mlflow", "alembic")


def user_data() -> Path:
    """The folder for what a user wants to keep: `MELO_HOME` if it is set, else the user's data folder. Not created here."""
    return user_cache() if os.environ.get("MELO_HOME", "").strip() else platformdirs.user_data_path("melo", appauthor=False)


class Tracker:
    """One MLflow experiment.

    Attributes:
        store: where it is, for a person.
    """

    def __init__(self, client: MlflowClient, experiment_id: str, store: str) -> None:
        self._client = client
        self._experiment_id = experiment_id
        self.store = store

    @classmethod
    def open(cls, experiment: str) -> Self:
        """The experiment of this name, made when it is not there; the first use of a store takes some seconds.

        Raises:
            InfrastructureError: the store cannot be used.
        """
        private_defaults()
        os.environ.setdefault(*_FEW_RETRIES)
        given = os.environ.get("MLFLOW_TRACKING_URI", "").strip()
        with _store_errors(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # MLflow's models of its own tables use what SQLAlchemy calls old
            folder = private_folder(user_data() / "mlflow")
            if not given and not (folder / "mlflow.db").exists():
                say("making the store of runs, once")
            from mlflow.tracking import MlflowClient

            for name in _NOISY:  # MLflow sets its own levels when it is imported
                logging.getLogger(name).setLevel(logging.ERROR)
            client = MlflowClient(tracking_uri=given or f"sqlite:///{folder / 'mlflow.db'}")
            found = client.get_experiment_by_name(experiment)
            artifacts = None if given else (folder / "artifacts").as_uri()
            identity = found.experiment_id if found else client.create_experiment(experiment, artifact_location=artifacts)
        return cls(client, identity, "the server of MLFLOW_TRACKING_URI" if given else str(folder / "mlflow.db"))

    def run(self, key: str, name: str, params: Mapping[str, object]) -> TrackedRun:
        """The run with this key, begun anew when it is not there; one that had ended is opened again.

        Args:
            key: names what is run: runs that would do the same have the same.

        Raises:
            InfrastructureError: the store cannot be used.
        """
        with _store_errors():
            found = self._client.search_runs([self._experiment_id], f"tags.`{_KEY}` = '{key}'", max_results=1)
            if found:
                self._client.update_run(found[0].info.run_id, "RUNNING")
                return TrackedRun(self._client, self._experiment_id, found[0].info.run_id)
            begun = self._client.create_run(self._experiment_id, run_name=name, tags={_KEY: key})
            run = TrackedRun(self._client, self._experiment_id, begun.info.run_id)
            run.log({}, params)
        return run

    def fetch(self, run_id: str, names: Sequence[str], into: Path) -> Path:
        """Copy files that a run keeps into a folder; returns the folder.

        Raises:
            InfrastructureError: the store cannot be used, or there is no such run or file.
        """
        with _store_errors():
            for name in names:
                self._client.download_artifacts(run_id, name, str(into))
        return into


class TrackedRun:
    """One run of an experiment.

    Attributes:
        run_id: MLflow's name for it.
    """

    def __init__(self, client: MlflowClient, experiment_id: str, run_id: str) -> None:
        self._client = client
        self._experiment_id = experiment_id
        self.run_id = run_id

    def log(self, metrics: Mapping[str, float], params: Mapping[str, object] | None = None, *, step: int = 0) -> None:
        """Add figures and parameters, all in one write.

        Raises:
            InfrastructureError: the store cannot be used.
        """
        self._write(self.run_id, metrics, params or {}, step)

    def child(
        self, name: str, metrics: Mapping[str, float], params: Mapping[str, object], texts: Mapping[str, str] | None = None
    ) -> None:
        """Add a finished run below this one.

        Args:
            texts: file name → what is in it.

        Raises:
            InfrastructureError: the store cannot be used.
        """
        with _store_errors():
            begun = self._client.create_run(self._experiment_id, run_name=name, tags={_PARENT: self.run_id, _CHILD: name})
        self._write(begun.info.run_id, metrics, params, 0)
        with _store_errors():
            for file, text in (texts or {}).items():
                self._client.log_text(begun.info.run_id, text, file)
            self._client.set_terminated(begun.info.run_id)

    def children(self) -> frozenset[str]:
        """The names of the runs below this one.

        Raises:
            InfrastructureError: the store cannot be used.
        """
        names: list[str] = []
        token: str | None = None
        with _store_errors():
            while True:
                where = f"tags.`{_PARENT}` = '{self.run_id}'"
                page = self._client.search_runs([self._experiment_id], where, max_results=_PAGE, page_token=token)
                names += [run.data.tags[_CHILD] for run in page if _CHILD in run.data.tags]
                token = page.token
                if not token:
                    return frozenset(names)

    def text(self, name: str, text: str) -> None:
        """Keep a text file with the run.

        Raises:
            InfrastructureError: the store cannot be used.
        """
        with _store_errors():
            self._client.log_text(self.run_id, text, name)

    def file(self, path: Path) -> None:
        """Keep a copy of a file with the run.

        Raises:
            InfrastructureError: the store cannot be used.
        """
        with _store_errors():
            self._client.log_artifact(self.run_id, str(path))

    def end(self, *, finished: bool) -> None:
        """Say that the run is over, or that it was stopped before its end.

        Raises:
            InfrastructureError: the store cannot be used.
        """
        with _store_errors():
            self._client.set_terminated(self.run_id, "FINISHED" if finished else "KILLED")

    def _write(self, run_id: str, metrics: Mapping[str, float], params: Mapping[str, object], step: int) -> None:
        from mlflow.entities import Metric, Param

        now = int(time.time() * 1000)
        with _store_errors():
            self._client.log_batch(
                run_id,
                metrics=[Metric(name, float(value), now, step) for name, value in metrics.items()],
                params=[Param(name, str(value)) for name, value in params.items()],
            )


@contextmanager
def _store_errors() -> Iterator[None]:
    """What MLflow and its database raise, as one kind of error."""
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (MlflowException, SQLAlchemyError, OSError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InfrastructureError(
            f"the MLflow store cannot be used: {reason}", hint="MLFLOW_TRACKING_URI names another"
        ) from error
