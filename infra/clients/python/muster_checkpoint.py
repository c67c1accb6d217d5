"""Client for a member's control socket (docs/checkpoints.md). One file, Python >= 3.8, standard library only: copy it.

The vocabulary is that of ``infra/clients/node/muster-checkpoint.ts``.
"""

import http.client
import json
import os
import random
import socket
import threading
import time
import uuid
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

FENCED_EXIT_CODE = 77
"""A program that was fenced exits with this code at once (EX_NOPERM of sysexits.h)."""

_FIRST_BACKOFF_S = 0.05
_MAX_BACKOFF_S = 2.0  # a restarted agent is back within seconds; slower than this only delays the commit
_ANSWER_TIMEOUT_S = 15.0
_MAX_ANSWER_BYTES = 4 * 1024 * 1024  # a shard list of some 20,000 files
_MAX_WAIT_MS = 30_000  # the agent's bound for a long poll


class Resume(NamedTuple):
    """The committed checkpoint to go on from; shard paths are relative to ``dir``."""

    dir: str
    step: int


class Refused(Exception):
    """The agent answered with an error; ``code`` is that of the problem document. Trying again as it is changes nothing."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__("%s (%d): %s" % (code, status, detail))
        self.status = status
        self.code = code


class Fenced(SystemExit):
    """A newer epoch of the job exists, or this one has ended: nothing of this process can be published.

    It is a SystemExit: where nobody catches it, the main thread ends with code 77, past any ``except Exception``.
    In another thread, end the process with ``os._exit(FENCED_EXIT_CODE)``.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(FENCED_EXIT_CODE)
        self.status = 409
        self.code_name = "checkpoint_fenced"
        self.detail = detail


class Unreachable(Exception):
    """The agent gave no answer for the whole of ``retry_for_ms``."""


class MusterCheckpoint:
    """Calls of one member; safe to use from several threads, as each call has a connection of its own."""

    def __init__(self, socket_path: str) -> None:
        self._socket_path = socket_path

    @classmethod
    def from_environment(cls) -> "Optional[MusterCheckpoint]":
        """The client of this process, or None where the program runs without Muster."""
        socket_path = os.environ.get("MUSTER_CONTROL")
        return cls(socket_path) if socket_path else None

    def member(self, retry_for_ms: int = 30_000) -> Dict[str, Any]:
        """Who this process is, whether it shall stop, and what it resumes from."""
        return self._call("GET", "/v1/member", None, 0, retry_for_ms)

    def stop(self, wait_ms: int, retry_for_ms: int = 30_000) -> Dict[str, Any]:
        """Waits up to ``wait_ms`` (<= 30,000) for a stop order; answers as soon as there is one."""
        bounded = min(max(0, int(wait_ms)), _MAX_WAIT_MS)
        return self._call("GET", "/v1/stop?waitMs=%d" % bounded, None, bounded, retry_for_ms)

    def ready(self, retry_for_ms: int = 30_000) -> None:
        """Says that this member is ready. Only jobs with ``readiness: signal`` need it."""
        self._call("POST", "/v1/ready", {}, 0, retry_for_ms)

    def progress(self, step: int, total_steps: Optional[int] = None, message: Optional[str] = None, retry_for_ms: int = 0) -> bool:
        """Says how far the job is; the latest wins. False when the agent is away: a lost one does no harm."""
        body: Dict[str, Any] = {"step": step}
        if total_steps is not None:
            body["totalSteps"] = total_steps
        if message is not None:
            body["message"] = message
        try:
            self._call("POST", "/v1/progress", body, 0, retry_for_ms)
            return True
        except Unreachable:
            return False

    def shards(self, step: int, files: Sequence[str], retry_for_ms: int = 30_000) -> List[Dict[str, str]]:
        """Reports the shards that this member wrote for ``step``: paths relative to MUSTER_CHECKPOINT_DIR."""
        return self._call("POST", "/v1/checkpoints/shards", {"step": step, "files": list(files)}, 0, retry_for_ms)["files"]

    def commit(
        self,
        step: int,
        layout: Optional[Dict[str, Any]] = None,
        data_position: Optional[Dict[str, Any]] = None,
        wait_ms: int = 10_000,
        retry_for_ms: int = 30_000,
    ) -> Dict[str, Any]:
        """Rank 0 only: commits the checkpoint of ``step`` once all ranks reported, waiting <= ``wait_ms`` for them.

        Raises Fenced; Refused with code ``checkpoint_incomplete`` (a rank is missing: try again) or
        ``checkpoint_step_not_newer``; Unreachable.
        """
        bounded = min(max(0, int(wait_ms)), _MAX_WAIT_MS)
        body = {"step": step, "layout": layout or {}, "dataPosition": data_position or {}, "waitMs": bounded}
        return self._call("POST", "/v1/checkpoints/commit", body, bounded, retry_for_ms)

    def watch_stop(self, listener: Callable[[Dict[str, str]], None]) -> None:
        """Calls ``listener`` once, from a daemon thread, when a stop is ordered: {"reason": ..., "deadlineAt": ...}."""
        threading.Thread(target=self._watch, args=(listener,), name="muster-stop", daemon=True).start()

    def _watch(self, listener: Callable[[Dict[str, str]], None]) -> None:
        while True:
            try:
                order = self.stop(_MAX_WAIT_MS)["stop"]
                if order:
                    listener(order)
                    return
                time.sleep(_FIRST_BACKOFF_S)  # bounds the rate, should an agent answer without waiting
            except (Unreachable, Refused):
                time.sleep(_MAX_BACKOFF_S)  # no agent: training goes on without it, and SIGTERM also tells of a stop

    def _call(self, method: str, path: str, body: Optional[Dict[str, Any]], wait_ms: int, retry_for_ms: int) -> Any:
        give_up_at = time.monotonic() + retry_for_ms / 1000
        backoff = _FIRST_BACKOFF_S
        while True:
            try:
                return _read_answer(*self._send(method, path, body, wait_ms / 1000 + _ANSWER_TIMEOUT_S))
            except Refused as error:
                if error.status != 429 and error.status < 500:
                    raise
                failure: Exception = error
            except (OSError, http.client.HTTPException, ValueError) as error:
                failure = error
            pause = backoff * random.uniform(0.5, 1.0)
            if time.monotonic() + pause > give_up_at:
                raise Unreachable("%s %s: %s" % (method, path, failure)) from failure
            time.sleep(pause)
            backoff = min(2 * backoff, _MAX_BACKOFF_S)

    def _send(self, method: str, path: str, body: Optional[Dict[str, Any]], timeout_s: float) -> "tuple[int, bytes]":
        connection = _UnixConnection(self._socket_path, timeout_s)
        try:
            payload = None if body is None else json.dumps(body).encode()
            connection.request(method, path, payload, {"Content-Type": "application/json"} if payload else {})
            response = connection.getresponse()
            text = response.read(_MAX_ANSWER_BYTES + 1)
            if len(text) > _MAX_ANSWER_BYTES:
                raise ValueError("answer too long")
            return response.status, text
        finally:
            connection.close()


def resume() -> Optional[Resume]:
    """The committed checkpoint that this process goes on from, or None at the job's start."""
    folder = os.environ.get("MUSTER_RESUME_DIR")
    return Resume(folder, int(os.environ["MUSTER_RESUME_STEP"])) if folder else None


def write_shard(folder: str, path: str, write: Callable[[str], None]) -> str:
    """Writes a shard so that it is whole or absent after any crash: temporary file, fsync, rename, fsync of the folder.

    ``write`` gets the temporary file's name, for instance ``lambda name: torch.save(state, name)``; ``path`` is
    relative to ``folder``, without ``..``. Returns ``path``.
    """
    relative = os.path.normpath(path)
    if os.path.isabs(relative) or ".." in relative.split(os.sep):
        raise ValueError("shard path %r leaves its folder" % path)
    target = os.path.join(folder, relative)
    temporary = "%s.%s.tmp" % (target, uuid.uuid4().hex[:12])
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        write(temporary)
        _sync(temporary)
        os.replace(temporary, target)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    _sync(os.path.dirname(target))
    _sync(folder)
    return path


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _read_answer(status: int, text: bytes) -> Any:
    if 200 <= status < 300:
        return json.loads(text) if text else {}
    try:
        problem = json.loads(text)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {"code": "unknown", "detail": text[:200].decode("utf-8", "replace")}
    code = str(problem.get("code", "unknown"))
    detail = str(problem.get("detail") or problem.get("title") or "")
    if code == "checkpoint_fenced":
        raise Fenced(detail)
    raise Refused(status, code, detail)


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
