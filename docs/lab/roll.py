"""Finds a die, reads its battery, lights it and waits for a roll; the exit status is the face."""

import asyncio
import json
import os
import sys
import urllib.request

from bleak import BleakClient, BleakScanner

SERVICE = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
TO_THE_DIE = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
FROM_THE_DIE = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"

# Seconds; under emulation, with others at work, a second may be ten.
TIMEOUT = 60

GET_BATTERY = bytes([0x03])
RED_AND_BLUE = bytes([0x08, 0xFF, 0, 0, 0, 0, 0xFF])
# The face of a d6 that is up, by the axis that measures most, and its sign.
FACES = {(0, -1): 1, (2, 1): 2, (1, 1): 3, (1, -1): 4, (2, -1): 5, (0, 1): 6}


def face(axes):
    signed = [byte - 256 if byte > 127 else byte for byte in axes]
    axis = max(range(3), key=lambda each: abs(signed[each]))
    return FACES[axis, 1 if signed[axis] > 0 else -1]


def roll(address):
    """A hand in the simulated world. A real die is thrown."""
    request = urllib.request.Request(
        f"{os.environ['CONTROL_URL']}/devices/{address}/actions",
        json.dumps({"type": "roll", "face": 5, "roll_ms": 500}).encode(),
        {"content-type": "application/json"},
    )
    urllib.request.urlopen(request).close()


async def main(adapter="hci0", address=None):
    found = await BleakScanner.find_device_by_filter(
        lambda die, advertised: SERVICE in advertised.service_uuids and address in (None, die.address),
        service_uuids=[SERVICE],
        adapter=adapter,
        timeout=TIMEOUT,
    )
    if found is None:
        sys.exit("there is no die")
    print(f"found {found.address}", flush=True)
    said = asyncio.Queue()
    async with BleakClient(found, timeout=TIMEOUT) as die:
        await die.start_notify(FROM_THE_DIE, lambda _, value: said.put_nowait(bytes(value)))
        await die.write_gatt_char(TO_THE_DIE, RED_AND_BLUE, response=True)
        await die.write_gatt_char(TO_THE_DIE, GET_BATTERY)
        if "CONTROL_URL" in os.environ:
            roll(found.address)
        while True:
            value = await said.get()
            if value.startswith(b"Bat"):
                print(f"battery {value[3]} %", flush=True)
            elif value.startswith(b"S"):
                print(f"face {face(value[1:])}", flush=True)
                return face(value[1:])


sys.exit(asyncio.run(main(*sys.argv[1:])))
