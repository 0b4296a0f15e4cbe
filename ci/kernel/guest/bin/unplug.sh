#!/bin/sh
# Takes the adapter $1 (hci0, hci1, …) away, and waits until the kernel has let it go.
kill "$(cat "/run/btattach-$1.pid")"
for _ in $(seq 100); do
  [ -e "/sys/class/bluetooth/$1" ] || exit 0
  sleep 0.1
done
echo "the kernel did not let $1 go within 10 s"
exit 1
