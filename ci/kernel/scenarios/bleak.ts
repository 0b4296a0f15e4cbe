import { once } from 'node:events';
import { airbenchLinux, textOf } from '../airbench-linux.js';
import { AIRBENCH } from '../../../src/system/package.js';
import type { Setup } from '../setup.js';

/** Milliseconds; ten Pythons and a Node on one emulated processor take a minute or two, on a loaded machine many times that. */
const LIMIT = 900_000;

const COUNT = 10;

/**
 * `$0` is airbench, `$1` how many adapters it makes; the guest has hci0 already. The scripts are nice: what answers the kernel,
 * which waits 2 s, comes first.
 */
const COMMAND = `
modprobe hci_vhci || exit 1
node "$0" air --vhci $1 --dice $1 --clocks 0 --hci-port 0 >/tmp/air 2>&1 &
air=$!
until grep -q "^control API" /tmp/air; do
  kill -0 $air || { cat /tmp/air; exit 1; }
  sleep 0.2
done
until [ "$(bluetoothctl list </dev/null | grep -c Controller)" = $(($1 + 1)) ]; do sleep 0.5; done
export CONTROL_URL=http://127.0.0.1:3100
for n in $(seq $1); do
  (
    nice python3 roll.py hci$n $(printf D1:CE:00:00:00:%02X $n) >/tmp/roll$n 2>&1
    echo "hci$n ended with status $?:" $(tail -n 3 /tmp/roll$n)
  ) &
  scripts="$scripts $!"
done
wait $scripts
kill -INT $air
wait $air
echo left: $(ls /sys/class/bluetooth)
`;

const EXPECTED = [
  ...Array.from({ length: COUNT }, (_, index) => {
    const die = (index + 1).toString(16).toUpperCase().padStart(2, '0');
    return `hci${index + 1} ended with status 5: found D1:CE:00:00:00:${die} battery 100 % face 5`;
  }),
  'left: hci0',
];

/** Scripts with bleak, as many as there are adapters of `airbench air --vhci`, all at once by one bluetoothd. */
export const proveBleak = async ({ report, signal }: Setup): Promise<void> => {
  await report.check(
    `in a guest, airbench air --vhci ${COUNT} makes ${COUNT} adapters; ${COUNT} scripts with bleak use them at once; none is left`,
    async () => {
      const command = ['sh', '-c', COMMAND, AIRBENCH, String(COUNT)];
      const program = airbenchLinux(['--packages', 'python3-bleak', '--', ...command], LIMIT, signal);
      const said = textOf(program.stdout);
      const warned = textOf(program.stderr);
      program.stdin?.end();
      // It is killed where it takes too long: then what is missing says how far it came.
      await once(program, 'close').catch(() => undefined);
      const missing = EXPECTED.filter((line) => !said().split('\n').includes(line));
      if (missing.length > 0) throw new Error(`missing: ${missing.join('; ')}\n${said()}${warned()}`);
    },
  );
};
