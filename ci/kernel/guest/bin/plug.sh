#!/bin/sh
# Makes the serial line $2 the adapter $1 (hci0, hci1, …), sooner or later.
btattach -B "$2" -P h4 >"/run/btattach-$1.log" 2>&1 &
echo $! >"/run/btattach-$1.pid"
