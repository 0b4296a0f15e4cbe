#!/bin/sh
# Makes the serial line $2 the adapter $1 (hci0, hci1, …), and waits until the kernel has seen it.
plug.sh "$1" "$2"
for _ in $(seq 100); do
  btmgmt --index "${1#hci}" info 2>/dev/null | grep -q "addr" && exit 0
  sleep 0.1
done
echo "the kernel did not take the controller at $2 as $1 within 10 s"
cat "/run/btattach-$1.log"
exit 1
