#!/bin/sh
# Starts BlueZ' daemon and the bus that its clients reach it by.
dbus-daemon --config-file=/etc/bus.conf --fork || exit 1
/usr/libexec/bluetooth/bluetoothd --nodetach >/run/bluetoothd.log 2>&1 &
echo $! >/run/bluetoothd.pid
