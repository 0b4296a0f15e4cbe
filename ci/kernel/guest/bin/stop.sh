#!/bin/sh
# Ends the program $1 (dice, clock, air) as Ctrl-C does, and shows its output; fails if it was gone, or had to be killed.
server=$(cat "/run/$1.pid")
kill -INT "$server" || outcome=gone
for _ in $(seq 100); do
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
kill -KILL "$server" 2>/dev/null && outcome=killed
cat "/run/$1.log"
[ -z "$outcome" ] || { echo "airbench $1 was $outcome"; exit 1; }
