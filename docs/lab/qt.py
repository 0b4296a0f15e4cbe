"""Finds a die by Qt Bluetooth, reads its battery and disconnects; the exit status is 0 if all of it came about."""

import sys

from PyQt5.QtBluetooth import (
    QBluetoothDeviceDiscoveryAgent,
    QBluetoothUuid,
    QLowEnergyController,
    QLowEnergyService,
)
from PyQt5.QtCore import QByteArray, QCoreApplication, QTimer, QUuid

SERVICE = QBluetoothUuid(QUuid("{6e400001-b5a3-f393-e0a9-e50e24dcca9e}"))
TO_THE_DIE = QBluetoothUuid(QUuid("{6e400002-b5a3-f393-e0a9-e50e24dcca9e}"))
FROM_THE_DIE = QBluetoothUuid(QUuid("{6e400003-b5a3-f393-e0a9-e50e24dcca9e}"))
GET_BATTERY = QByteArray(b"\x03")
NOTIFY = QByteArray(b"\x01\x00")

# Milliseconds; under emulation, with others at work, a second may be ten.
TIMEOUT = 120_000


class Battery:
    def __init__(self, application):
        self.application = application
        self.agent = QBluetoothDeviceDiscoveryAgent()
        self.agent.deviceDiscovered.connect(self.on_device)
        self.agent.error.connect(lambda error: self.fail(self.agent.errorString()))
        self.agent.start(QBluetoothDeviceDiscoveryAgent.LowEnergyMethod)
        self.controller = None

    def fail(self, why):
        print(why, file=sys.stderr)
        self.application.exit(1)

    def on_device(self, device):
        if self.controller is not None or not device.name().startswith("GoDice"):
            return
        print(f"found {device.name()}", flush=True)
        self.agent.stop()
        self.controller = QLowEnergyController.createCentral(device)
        self.controller.connected.connect(self.controller.discoverServices)
        self.controller.error.connect(lambda error: self.fail(self.controller.errorString()))
        self.controller.discoveryFinished.connect(self.on_services)
        self.controller.disconnected.connect(self.application.quit)
        self.controller.connectToDevice()

    def on_services(self):
        self.service = self.controller.createServiceObject(SERVICE)
        self.service.stateChanged.connect(self.on_state)
        self.service.characteristicChanged.connect(self.on_notification)
        self.service.descriptorWritten.connect(self.on_subscribed)
        self.service.discoverDetails()

    def on_state(self, state):
        if state != QLowEnergyService.ServiceDiscovered:
            return
        configuration = self.service.characteristic(FROM_THE_DIE).descriptor(
            QBluetoothUuid(QBluetoothUuid.ClientCharacteristicConfiguration)
        )
        self.service.writeDescriptor(configuration, NOTIFY)

    def on_subscribed(self, descriptor, value):
        to_the_die = self.service.characteristic(TO_THE_DIE)
        self.service.writeCharacteristic(to_the_die, GET_BATTERY, QLowEnergyService.WriteWithoutResponse)

    def on_notification(self, characteristic, value):
        said = bytes(value)
        if said.startswith(b"Bat"):
            print(f"battery {said[3]} %", flush=True)
            self.controller.disconnectFromDevice()


application = QCoreApplication(sys.argv)
battery = Battery(application)
QTimer.singleShot(TIMEOUT, lambda: battery.fail("there is no die"))
sys.exit(application.exec_())
