#!/bin/sh
# Starts the program $1 (dice, clock, air, vhci, replay) with the flags that follow, and waits until it says that it is ready.
cd /airbench
name=$1
node dist/src/cli/main.js "$@" >"/run/$name.log" 2>&1 &
server=$!
echo $server >"/run/$name.pid"
for _ in $(seq 450); do
  grep -E "^($name server|control API|adapter) " "/run/$name.log" && exit 0
  kill -0 $server 2>/dev/null || break
  sleep 0.2
done
echo "airbench $name was not ready within 90 s:"
cat "/run/$name.log"
exit 1
