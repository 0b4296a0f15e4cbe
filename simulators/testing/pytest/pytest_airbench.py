"""The fixture `airbench`: a simulated Bluetooth world for a test, in a separate process.

It has the same names as `airbench/testing` for tests in JavaScript (docs/extending.md).
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import pytest

# A rig ends in some milliseconds, and kills processes that have not ended after 30 s.
LIMIT_SECONDS = 60

PARTS = {
    "dice server": "dice",
    "clock server": "clock",
    "control API": "control",
    "virtual radio": "hci",
}


class AirbenchError(Exception):
    """A world that does not start or end in order, or a request that was refused."""


class Api:
    """A JSON API of a world."""

    def __init__(self, url):
        """`url`: without a slash at its end, such as `http://127.0.0.1:3000`."""
        self.url = url

    def send(self, method, path, body=None):
        """Sends a request and returns the JSON of its answer. Raises AirbenchError for a status other than 200."""
        request = urllib.request.Request(self.url + path, method=method)
        if body is not None:
            request.add_header("content-type", "application/json")
            request.data = json.dumps(body).encode()
        # The world is on this machine: no proxy leads there.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            answer = error.read().decode()
            raise AirbenchError(f"{method} {path} was answered with {error.code}: {answer}") from None
        return json.loads(text) if text else None

    def get(self, path):
        return self.send("GET", path)

    def post(self, path, body=None):
        return self.send("POST", path, {} if body is None else body)

    def socket(self, path):
        """The address of a WebSocket, such as `/ws` of a server."""
        return re.sub("^http", "ws", self.url) + path


class Control(Api):
    """The control API of a world (docs/control-api.md): the devices, the air between them and the adapters, and faults."""

    def devices(self):
        return self.get("/devices")

    def device(self, address):
        """The whole state of a device."""
        return self.get(f"/devices/{address}")

    def add(self, device):
        """Adds a device, such as `{"kind": "pixels", "die": "d20"}`."""
        return self.post("/devices", device)

    def act(self, address, action):
        """Acts on a device, such as `{"type": "roll", "face": 5}`."""
        return self.post(f"/devices/{address}/actions", action)

    def place(self, address, **place):
        """Moves a device: sets its signal strength (`rssi`, dBm), and whether hosts receive it at all (`in_range`)."""
        self.send("PUT", f"/air/{address}", place)

    def fault(self, fault):
        """Puts a fault into the air, such as `{"type": "link_loss", "device": "all", "after_ms": 500}`; returns its id."""
        return self.post("/faults", fault)["id"]

    def reset(self):
        """Returns the world to its state at the start: devices, places, faults."""
        self.post("/reset")


class World:
    """A simulated world: a radio with virtual devices, and servers on it, all on free ports of this machine."""

    def __init__(self, places):
        # The radio for hosts of your own: `--hci` of the servers, or `tcp:HOST:PORT` as Bumble and others call it.
        self.hci = places["hci"]
        self.dice = Api(places["dice"])
        self.clock = Api(places["clock"])
        self.control = Control(places["control"])


def find_program(folder):
    """The command of airbench: from the nearest `node_modules` in `folder` or above it, else from the PATH."""
    near = [str(parent / "node_modules" / ".bin") for parent in [folder, *folder.parents]]
    program = shutil.which("airbench", path=os.pathsep.join(near)) or shutil.which("airbench")
    if program is None:
        raise AirbenchError(
            f"airbench is neither in a node_modules of {folder} or above it nor on the PATH: "
            "install it with npm, or name its command as `airbench` in the configuration of pytest"
        )
    return [program]


def _places(stdout):
    """The addresses in the lines that a rig prints; incomplete if its output ends before."""
    places = {}
    for line in stdout:
        name, _, rest = line.partition("  ")
        if name in PARTS:
            places[PARTS[name]] = rest.split()[0]
        if len(places) == len(PARTS):
            break
    return places


@contextlib.contextmanager
def world(*, dice=0, pixels=0, clocks=0, devices=(), pace="fast", trace=None, flags=None, command=None):
    """Starts a world, which ends with the `with` block, and with this process at the latest.

    dice, pixels, clocks: how many of each. devices: more devices, each as `POST /devices` of the control API takes it.
    pace: `fast`: packets take no time on the air; or `real`. trace: a btsnoop file for all packets, which Wireshark opens.
    flags: more flags of `airbench rig` without their dashes, such as `{"scan-secs": 0.5}`. command: the command of airbench, a list.
    Raises AirbenchError with the log if it does not start or end in order; else the log goes to stderr when it ends.
    """
    with tempfile.TemporaryDirectory(prefix="airbench-world-") as folder:
        described = Path(folder, "devices.json")
        described.write_text(json.dumps(list(devices)))
        options = {"dice": dice, "pixels": pixels, "clocks": clocks, "pace": pace, "devices": described}
        options.update({f"{part}-port": 0 for part in ("dice", "clock", "control", "hci")})
        options.update({"address": "127.0.0.1"}, **({} if trace is None else {"trace": trace}), **(flags or {}))
        arguments = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        # Flags that are environment variables too would change what a test asks for.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AIRBENCH_")}
        log = Path(folder, "log")
        with log.open("wb") as stderr:
            rig = subprocess.Popen(
                [*(command or find_program(Path.cwd())), "rig", "--end-with-stdin", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=environment,
                encoding="utf-8",
            )
        with rig:
            try:
                places = _places(rig.stdout)
                if len(places) == len(PARTS):
                    yield World(places)
            finally:
                rig.stdin.close()
                try:
                    status = rig.wait(LIMIT_SECONDS)
                except subprocess.TimeoutExpired:
                    rig.kill()
                    status = rig.wait()
        lines = log.read_text(encoding="utf-8")
        if status != 0:
            raise AirbenchError(f"airbench rig ended with status {status}: {lines}")
        sys.stderr.write(lines)


def pytest_addoption(parser):
    parser.addini("airbench", "the command of airbench; the nearest node_modules and the PATH have it by default", type="args")


@pytest.fixture
def airbench(request):
    """A function that starts a world, which ends with the test: `airbench(dice=1)`. Its options are those of `world`."""
    command = request.config.getini("airbench") or find_program(request.config.rootpath)
    with contextlib.ExitStack() as worlds:
        yield lambda **options: worlds.enter_context(world(**{"command": command, **options}))
