#!/bin/sh
# Starts BlueZ' daemon, configured by /etc/bluetooth/$1.conf (main unless given), and the bus that its clients reach it by, and waits until it has both adapters.
dbus-daemon --config-file=/etc/bus.conf --fork || exit 1
/usr/libexec/bluetooth/bluetoothd --nodetach --configfile="/etc/bluetooth/${1:-main}.conf" >/run/bluetoothd.log 2>&1 &
echo $! >/run/bluetoothd.pid
for _ in $(seq 50); do
  [ "$(timeout 5 bluetoothctl list | grep -c Controller)" = 2 ] && exit 0
  sleep 0.2
done
echo "bluetoothd did not take both adapters"
cat /run/bluetoothd.log
exit 1
