"""A die, served by BlueZ: each line of stdin, a face from 1 to 6, is a roll; the end of stdin is its end.

With a face as its argument it does not read stdin, and rolls that face when it is lit.
"""

import sys
import threading

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

ADAPTER = "/org/bluez/hci0"
NAME = "GoDice_B1E200_G_v04"
SERVICE = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
TO_THE_DIE = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
FROM_THE_DIE = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"

BATTERY = b"Bat" + bytes([77])
GREEN = b"Col" + bytes([2])
NO_CHARGER = b"Char" + bytes([0])
ROLLING = b"R"
ROLL_MS = 500
# What a d6 measures at rest, by the face that is up.
AXES = {1: (-64, 0, 0), 2: (0, 0, 64), 3: (0, 64, 0), 4: (0, -64, 0), 5: (0, 0, -64), 6: (64, 0, 0)}


def say(text):
    print(text, flush=True)


class Published(dbus.service.Object):
    """What BlueZ asks for the properties of one of its interfaces."""

    def __init__(self, bus, path, interface, properties):
        super().__init__(bus, path)
        self.path = dbus.ObjectPath(path)
        self.interfaces = {interface: properties}

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return self.interfaces[interface]


class Advertisement(Published):
    def __init__(self, bus):
        properties = {"Type": "peripheral", "LocalName": NAME, "ServiceUUIDs": [SERVICE]}
        super().__init__(bus, "/advertisement", "org.bluez.LEAdvertisement1", properties)

    @dbus.service.method("org.bluez.LEAdvertisement1")
    def Release(self):
        say("BlueZ has ended the advertisement")


class Service(Published):
    def __init__(self, bus):
        super().__init__(bus, "/die/uart", "org.bluez.GattService1", {"UUID": SERVICE, "Primary": True})


class Characteristic(Published):
    INTERFACE = "org.bluez.GattCharacteristic1"

    def __init__(self, bus, path, uuid, service, flags):
        super().__init__(bus, path, self.INTERFACE, {"UUID": uuid, "Service": service.path, "Flags": flags})


class FromTheDie(Characteristic):
    def __init__(self, bus, service):
        super().__init__(bus, "/die/uart/from", FROM_THE_DIE, service, ["notify"])

    @dbus.service.method(Characteristic.INTERFACE)
    def StartNotify(self):
        say("a host listens")

    @dbus.service.method(Characteristic.INTERFACE)
    def StopNotify(self):
        say("no host listens")

    @dbus.service.signal(dbus.PROPERTIES_IFACE, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        """BlueZ makes a notification of it."""

    def notify(self, value):
        self.PropertiesChanged(self.INTERFACE, {"Value": dbus.ByteArray(value)}, [])


class ToTheDie(Characteristic):
    def __init__(self, bus, service, die):
        flags = ["write", "write-without-response"]
        super().__init__(bus, "/die/uart/to", TO_THE_DIE, service, flags)
        self.die = die

    @dbus.service.method(Characteristic.INTERFACE, in_signature="aya{sv}")
    def WriteValue(self, value, options):
        self.die.hear(bytes(value))


class Die:
    def __init__(self, notify):
        self.notify = notify
        self.face = 1

    def hear(self, command):
        """Commands that it does not know are taken in silence."""
        opcode, rest = command[:1], command[1:]
        if opcode == b"\x03":
            self.notify(BATTERY)
        elif opcode == b"\x08":
            say(f"lit {rest[:3].hex()} {rest[3:].hex()}")
            for face in sys.argv[1:]:
                self.roll(int(face))
        elif opcode == b"\x14":
            say("dark")
        elif opcode == b"\x17":
            self.notify(GREEN)
        elif opcode == b"\x19":
            for value in (BATTERY, self.at_rest(), NO_CHARGER):
                self.notify(value)

    def roll(self, face):
        self.notify(ROLLING)
        self.face = face
        GLib.timeout_add(ROLL_MS, self.stop)

    def stop(self):
        self.notify(self.at_rest())
        say(f"rolled {self.face}")

    def at_rest(self):
        return b"S" + bytes(axis % 256 for axis in AXES[self.face])


class Application(dbus.service.Object):
    """All objects of the GATT server, as BlueZ asks for them."""

    def __init__(self, bus, *objects):
        super().__init__(bus, "/die")
        self.objects = objects

    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {each.path: each.interfaces for each in self.objects}


def register(bus, interface, method, path, then):
    """Without waiting: BlueZ asks for the properties before it answers."""

    def fail(error):
        say(error)
        loop.quit()

    manager = dbus.Interface(bus.get_object("org.bluez", ADAPTER), interface)
    options = dbus.Dictionary(signature="sv")
    getattr(manager, method)(dbus.ObjectPath(path), options, reply_handler=then, error_handler=fail)


def read_stdin():
    for line in sys.stdin:
        GLib.idle_add(die.roll, int(line))
    GLib.idle_add(loop.quit)


DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
loop = GLib.MainLoop()
service = Service(bus)
from_the_die = FromTheDie(bus, service)
die = Die(from_the_die.notify)
application = Application(bus, service, from_the_die, ToTheDie(bus, service, die))
advertisement = Advertisement(bus)


def advertise():
    interface = "org.bluez.LEAdvertisingManager1"
    register(bus, interface, "RegisterAdvertisement", "/advertisement", on_the_air)


def on_the_air():
    say(f"on the air as {NAME}")
    if not sys.argv[1:]:
        threading.Thread(target=read_stdin, daemon=True).start()


register(bus, "org.bluez.GattManager1", "RegisterApplication", "/die", advertise)
loop.run()
