"""Visits each device that the control API knows, by what it advertises: hears it, or connects it, pairs, reads, writes and listens."""

import asyncio
import json
import os
import struct
import sys
import urllib.request
import uuid
from pathlib import Path

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError
from dbus_fast.aio import MessageBus
from dbus_fast.constants import BusType
from dbus_fast.service import ServiceInterface, method

CONTROL = os.environ["CONTROL_URL"]
# Seconds; under emulation, with others at work, a second may be ten.
TIMEOUT = 60
PASSKEY = 123456

# Of linux/input.h and linux/input-event-codes.h, on 64 bits.
INPUT_EVENT = struct.Struct("qqHHi")
EV_KEY = 1
PRESSED = 1
KEYS = {30: "A"}


def full(short):
    return f"0000{short}-0000-1000-8000-00805f9b34fb"


def ask(path, body=None):
    request = urllib.request.Request(
        CONTROL + path, body and json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class Agent(ServiceInterface):
    """The person at the host: reads the passkey off the device."""

    @method()
    def RequestPasskey(self, device: "o") -> "u":
        return PASSKEY

    @method()
    def RequestAuthorization(self, device: "o"):
        pass

    @method()
    def Cancel(self):
        pass


async def register_agent():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    bus.export("/agent", Agent("org.bluez.Agent1"))
    described = await bus.introspect("org.bluez", "/org/bluez")
    manager = bus.get_proxy_object("org.bluez", "/org/bluez", described).get_interface("org.bluez.AgentManager1")
    await manager.call_register_agent("/agent", "KeyboardDisplay")
    await manager.call_request_default_agent("/agent")


async def first(device, characteristic, then=lambda: None):
    """The first value that is notified; `then` is called once the host has subscribed."""
    said = asyncio.Queue()
    await device.start_notify(characteristic, lambda _, value: said.put_nowait(bytes(value)))
    then()
    return await asyncio.wait_for(said.get(), TIMEOUT)


def sfloat(two):
    """IEEE 11073: 12 bits of a number, and 4 of a power of ten before them."""
    number, power = int.from_bytes(two, "little") & 0xFFF, two[1] >> 4
    return (number - (number >> 11 << 12)) * 10.0 ** (power - (power >> 3 << 4))


async def strap(device, address):
    beats = (await first(device, full("2a37")))[1]
    place = await device.read_gatt_char(full("2a38"))
    try:
        await device.write_gatt_char(full("2a39"), b"\x02", response=True)
    except BleakError as error:
        return f"{beats} beats a minute, place {place[0]}; 02 to the control point: {error}"


async def battery(device, address):
    return f"{(await device.read_gatt_char(full('2a19')))[0]} %"


async def thermometer(device, address):
    mantissa, power = struct.unpack_from("<i", (await first(device, full("2a1c")))[1:4] + b"\0")[0], -1
    return f"{mantissa * 10.0 ** power:.1f} degrees"


async def cuff(device, address):
    await device.pair()
    measure = lambda: ask(f"/devices/{address}/actions", {"type": "notify", "characteristic": "2a35"})
    value = await first(device, full("2a35"), measure)
    systolic, diastolic = sfloat(value[1:3]), sfloat(value[3:5])
    return f"{systolic:.1f} and {diastolic:.0f} mmHg, once bonded"


async def crank(device, address):
    _, watts, turns, _ = struct.unpack("<HhHH", await first(device, full("2a63")))
    return f"{watts // 100 * 100} W and more, {turns} turns"


async def input_device(name):
    """The kernel's input device of this name, once there is one."""
    while True:
        for path in Path("/sys/class/input").glob("event*/device/name"):
            if path.read_text().strip() == name:
                return Path("/dev/input", path.parent.parent.name)
        await asyncio.sleep(0.1)


async def pressed_key(name):
    """The code of the next key that is pressed."""
    device = await input_device(name)
    events = asyncio.StreamReader()
    protocol = lambda: asyncio.StreamReaderProtocol(events)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(protocol, device.open("rb", 0))
    try:
        while True:
            _, _, kind, code, value = INPUT_EVENT.unpack(await events.readexactly(INPUT_EVENT.size))
            if kind == EV_KEY and value == PRESSED:
                return code
    finally:
        transport.close()


async def keyboard(device, address):
    """BlueZ keeps the HID service from programs: it hands the reports to the kernel."""
    await device.pair()
    pnp = await device.read_gatt_char(full("2a50"))
    key = await asyncio.wait_for(pressed_key("Keyboard"), TIMEOUT)
    return f"{ask(f'/devices/{address}')['security']}, once bonded; PnP ID {pnp.hex()}; pressed {KEYS.get(key, key)}"


async def echo(device, address):
    rx, tx = (f"6e40000{n}-b5a3-f393-e0a9-e50e24dcca9e" for n in (2, 3))
    heard = asyncio.Queue()
    await device.start_notify(tx, lambda _, value: heard.put_nowait(bytes(value).decode()))
    for text in (b"hello", b"ping"):
        await device.write_gatt_char(rx, text)
    return " ".join([await asyncio.wait_for(heard.get(), TIMEOUT) for _ in range(2)])


async def lamp(device, address):
    light = "19b10001-e8f2-537e-4f6c-d104768a1214"
    await device.pair()
    await device.write_gatt_char(light, b"\x01", response=True)
    return f"{(await device.read_gatt_char(light)).hex()}, by its passkey"


def eddystone(value):
    return f"Eddystone {({3: 'https://'})[value[2]]}{value[3:-1].decode()}{({0: '.com/'})[value[-1]]} at {value[1] - 256} dBm"


def room(value):
    humidity, = struct.unpack("<H", value[9:11])
    return f"BTHome {value[0] >> 5}: {value[4]} % of its battery, {int.from_bytes(value[6:8], 'little') // 100} degrees, {humidity // 1000 * 10} % and more"


def ibeacon(value):
    major, minor, power = struct.unpack(">HHb", value[18:])
    return f"iBeacon {uuid.UUID(bytes=value[2:18])} {major} {minor} at {power} dBm"


# By the first service that is advertised, data of a service, and data of a company.
CONNECTED = {
    **{full(short): visit for short, visit in (("180d", strap), ("180f", battery), ("1809", thermometer))},
    **{full(short): visit for short, visit in (("1810", cuff), ("1818", crank), ("1812", keyboard))},
    "6e400001-b5a3-f393-e0a9-e50e24dcca9e": echo,
    "19b10000-e8f2-537e-4f6c-d104768a1214": lamp,
}
HEARD = {full("feaa"): eddystone, full("fcd2"): room}
APPLE = 0x004C


async def visit(found, heard):
    for service, value in heard.service_data.items():
        if service in HEARD:
            return HEARD[service](value)
    if APPLE in heard.manufacturer_data:
        return ibeacon(heard.manufacturer_data[APPLE])
    known = [CONNECTED[service] for service in heard.service_uuids if service in CONNECTED]
    if not known:
        sys.exit(f"nothing is known of {heard}")
    async with BleakClient(found, timeout=TIMEOUT) as device:
        return await known[0](device, found.address)


async def hear(address):
    reports = asyncio.Queue()
    async with BleakScanner(lambda found, heard: reports.put_nowait((found, heard))):
        while True:
            found, heard = await asyncio.wait_for(reports.get(), TIMEOUT)
            if found.address == address:
                return found, heard


async def main():
    await register_agent()
    for device in ask("/devices"):
        print(f"{device['name'] or 'no name'}: {await visit(*await hear(device['address']))}", flush=True)


asyncio.run(main())
