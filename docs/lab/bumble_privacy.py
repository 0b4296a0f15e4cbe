"""Bumble with privacy on and a device with private addresses: bonds, connects again by identity, and knows it by its next address in a scan."""

import asyncio
import json
import os
import secrets
import sys
import tempfile
import urllib.request

from bumble.device import Device, DeviceConfiguration, Peer
from bumble.hci import Address, OwnAddressType
from bumble.host import Host
from bumble.pairing import PairingConfig
from bumble.transport import open_transport

TRANSPORT, CONTROL = sys.argv[1:]
# Seconds.
LIFETIME = 5
TIMEOUT = 60
BATTERY_LEVEL = {"uuid": "2a19", "properties": ["read"], "permissions": {"read": "encrypted"}, "value": {"u8": 42}}
# Who makes and resolves addresses; the own address type that Bumble connects by; the device, which it has no key of.
WAYS = (
    ("Bumble", False, OwnAddressType.RANDOM, "F1:1E:00:00:03:01"),
    ("the controller", True, OwnAddressType.RESOLVABLE_OR_RANDOM, "F1:1E:00:00:03:02"),
)


def ask(path, body=None):
    request = urllib.request.Request(
        CONTROL + path, body and json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def check(holds, what):
    if not holds:
        sys.exit(what)


async def scan(device, wanted):
    """The first address of which `wanted`, given an advertisement, is true."""
    heard = asyncio.get_running_loop().create_future()

    def listen(advertisement):
        if not heard.done() and wanted(advertisement):
            heard.set_result(advertisement.address)

    device.on("advertisement", listen)
    await device.start_scanning(filter_duplicates=False)
    try:
        return await asyncio.wait_for(heard, TIMEOUT)
    finally:
        device.remove_listener("advertisement", listen)
        await device.stop_scanning()


async def read(connection):
    peer = Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    return (await peer.get_characteristics_by_uuid("2A19")[0].read_value())[0]


async def visit(device, by, own, identity):
    name = f"Hidden {identity[-2:]}"
    services = [{"uuid": "180f", "characteristics": [BATTERY_LEVEL]}]
    described = {"kind": "gatt", "address": identity, "name": name, "services": services}
    ask("/devices", {**described, "pairing": {}, "privacy": {"timeout_secs": LIFETIME}})

    first = await scan(device, lambda heard: name.encode() in bytes(heard.data))
    check(first.is_resolvable, f"{first} is not private")
    connection = await device.connect(first, own_address_type=own, timeout=TIMEOUT)
    await connection.pair()
    level = await read(connection)
    bonds = [bond["address"] for bond in ask(f"/devices/{identity}")["bonds"]]
    check(bonds == [str(device.static_address).split("/")[0]], f"the device has bonds with {bonds}")
    await connection.disconnect()
    await device.refresh_resolving_list()

    async def again():
        connection = await device.connect(Address(identity), own_address_type=own, timeout=TIMEOUT)
        await connection.encrypt()
        check(await read(connection) == level, "another level")
        await connection.disconnect()

    await again()
    seen = []

    def rotated(heard):
        """Where the controller resolves, every address of the device on the air is its identity."""
        if name.encode() in bytes(heard.data) and heard.address not in seen:
            seen.append(heard.address)
        return len(seen) == 2

    if own == OwnAddressType.RANDOM:
        # The scan goes on while the address is replaced.
        await scan(device, rotated)
        resolved = [str(device.address_resolver.resolve(address)).split("/")[0] for address in seen]
        check(resolved == [identity, identity], f"{seen} are {resolved}")
    else:
        ends = asyncio.get_running_loop().time() + 2 * LIFETIME
        await scan(device, lambda heard: rotated(heard) or asyncio.get_running_loop().time() > ends)
        check([str(address).split("/")[0] for address in seen] == [identity], f"it is heard as {seen}")
    await again()
    print(f"addresses resolved by {by}: bonded, {level} %, connected by identity, known after another address", flush=True)


async def main():
    for by, offload, own, identity in WAYS:
        async with await open_transport(TRANSPORT) as hci:
            with tempfile.TemporaryDirectory() as folder:
                config = DeviceConfiguration(
                    name="Bumble",
                    address=Address.generate_static_address(),
                    irk=secrets.token_bytes(16),
                    keystore=f"JsonKeyStore:{os.path.join(folder, 'keys.json')}",
                    le_privacy_enabled=True,
                    address_resolution_offload=offload,
                    address_generation_offload=offload,
                )
                device = Device(config=config, host=Host(hci.source, hci.sink))
                device.pairing_config_factory = lambda _: PairingConfig(
                    mitm=False, identity_address_type=PairingConfig.AddressType.RANDOM
                )
                await device.power_on()
                await visit(device, by, own, identity)
                await device.power_off()


asyncio.run(main())
