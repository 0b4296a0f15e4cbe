/** Programs of this machine in separate guests, each by one command of `airbench linux`. */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '../../../features/support/loopback.js';
import { AIRBENCH } from '../../../src/system/package.js';
import { becomes, DiceServer } from '../clients.js';
import type { Setup } from '../guest.js';
import { during, type Program, type Start } from '../program.js';

/** Milliseconds; a guest boots in about ten seconds, and may have to download packages. */
const LIMIT = 240_000;
const LONG_LIMIT = 900_000;

/** The folder of the scripts in the commands. */
const SCRIPTS = 'docs/lab';

const ONE_DIE = ['--dice', '1', '--clocks', '0'];
const NO_DEVICE = ['--dice', '0', '--clocks', '0'];
const PACKAGES = ['--packages', 'python3-bleak,python3-dbus,python3-gi'];

/** Ends the stdin of a program. @throws unless the program ends with this status and these outputs. */
const ends = async (program: Program, status: number, output = /^/, warnings = /^/): Promise<void> => {
  program.child.stdin.end();
  const actual = await program.ended;
  const { stdout, stderr } = program;
  if (actual !== status || !output.test(stdout) || !warnings.test(stderr))
    throw new Error(`it ended with status ${actual}, and printed:\n${stdout}${stderr}`);
};

/**
 * Reads a line from stdin, writes to stderr, serves a die until the end of stdin, and becomes the script with bleak, whose exit
 * status is the face.
 */
const COMMAND =
  'read -r line; echo "heard $line"; echo warned >&2; python3 peripheral.py; exec python3 roll.py';

const NAME = 'GoDice_B1E200_G_v04';
const LEVEL = 77;

/** The first and the last line of peripheral.py. */
const ON_THE_AIR = `on the air as ${NAME}`;
const LEFT = 'no host listens';

const EXPECTED = [
  'heard a line',
  ...[ON_THE_AIR, 'a host listens', 'lit ff0000 0000ff', 'rolled 4', LEFT],
  ...['found D1:CE:00:00:00:01', 'battery 100 %', 'face 5', ''],
].join('\n');

/** Bytes: more than the capacity of all buffers between a command and its reader. */
const MUCH = 3_000_000;

/** A guest for programs of this machine: streams, exit status, end. */
export const proveLinux = async ({ report, airbench, signal }: Setup): Promise<void> => {
  const linux = (...args: readonly string[]): Program =>
    airbench(['linux', ...args], { cwd: SCRIPTS, limit: LIMIT });
  const [port = 0] = await freePorts(1);
  const program = linux(...ONE_DIE, '--hci-port', String(port), ...PACKAGES, '--', 'sh', '-c', COMMAND);
  await report.each({
    'airbench linux runs a die that BlueZ serves: the dice server finds it, lights it, reads its battery, sees it roll':
      async () => {
        program.send('a line');
        await program.says(new RegExp(ON_THE_AIR), LIMIT);
        const place = ['--hci', `tcp:127.0.0.1:${port}`, '--address', '127.0.0.1', '--port', '0'];
        const server = airbench(['dice', ...place, '--scan-secs', '3']);
        await during(server, /^dice server\s+(http:\S+)/m, (url) =>
          meetDie(new DiceServer(url), () => program.send('4')),
        );
        await program.says(new RegExp(LEFT), LIMIT);
      },
    'airbench linux runs a script with bleak: it finds a die, lights it, reads its battery, sees it roll':
      () => ends(program, 5, new RegExp(`^${EXPECTED}$`), /^warned\n$/),
    'a die that BlueZ serves in one guest is found, lit and seen rolling by bleak in another': () => {
      const beside = ['--beside', 'python3 peripheral.py 5'];
      const central = ['--', 'env', '-u', 'CONTROL_URL', 'python3', 'roll.py'];
      const output = /^found .*\nbattery 77 %\nface 5\n$/;
      return ends(
        linux(...NO_DEVICE, ...PACKAGES, ...beside, ...central),
        5,
        output,
        /beside 1: lit ff0000 0000ff/,
      );
    },
    'a slow reader of airbench linux gets all that the command writes': async () => {
      const args = [AIRBENCH, 'linux', '--', 'head', '-c', String(MUCH), '/dev/zero'];
      const reading = AbortSignal.any([signal, AbortSignal.timeout(LIMIT)]);
      const { stdout } = spawn(process.execPath, args, { cwd: SCRIPTS, signal: reading });
      let bytes = 0;
      for await (const piece of stdout) {
        bytes += (piece as Buffer).length;
        await setTimeout(20);
      }
      if (bytes !== MUCH) throw new Error(`it got ${bytes} of ${MUCH} bytes`);
    },
    'two commands in a kept guest: one leaves a file that the other reads': async () => {
      const name = `two-commands-${process.pid}`;
      const inKept = (command: string): Program => linux('--in', name, '--', 'sh', '-c', command);
      const kept = linux('--keep', name);
      try {
        await kept.says(/takes commands/, LIMIT);
        await ends(inKept('bluetoothctl list >/run/list'), 0);
        await ends(inKept('grep -q Controller /run/list && exit 7'), 7);
      } finally {
        await kept.end('SIGINT');
      }
    },
    'of two adapters with one address BlueZ has one, and a warning names both': () =>
      withTwins(airbench, (hci) =>
        ends(
          linux('--adapters', '2', '--hci', hci, '--', 'bluetoothctl', 'list'),
          0,
          /^(?![^]*^Controller [^]*^Controller )[^]*^Controller /m,
          /^hci(0 has the address of hci1|1 has the address of hci0): BlueZ does without it$/m,
        ),
      ),
    'kill -9 of airbench linux leaves no QEMU': async () => {
      const { child } = linux('--', 'sleep', '1000');
      const runsQemu = () => qemuOf(child.pid) !== '';
      await becomes(runsQemu, (runs) => runs, LIMIT);
      const qemu = qemuOf(child.pid);
      child.kill('SIGKILL');
      await becomes(
        () => isQemu(qemu),
        (runs) => !runs,
      );
    },
  });
};

const meetDie = async (server: DiceServer, roll: () => void): Promise<void> => {
  const dice = await server.scan();
  const die = dice.find((candidate) => candidate['name'] === NAME);
  if (die === undefined) throw new Error(`a scan found ${JSON.stringify(dice)}`);
  await server.connects(String(die['address']));
  await server.lights('FF0000', '0000FF');
  await server.sees({ kind: 'Stable', face: 4 }, roll);
  const { battery_level: level } = await server.status();
  if (level !== LEVEL) throw new Error(`its battery level is ${String(level)}`);
  await server.disconnects();
};

/** Runs `work` with a radio whose two adapters have the same address, made of two radios behind one port. */
const withTwins = async (airbench: Start, work: (hci: string) => Promise<void>): Promise<void> => {
  const airs = ['one', 'other'].map(() =>
    airbench(['air', ...NO_DEVICE, '--hci-port', '0', '--control-port', '0']),
  );
  const streams: Socket[] = [];
  const ports: number[] = [];
  const server = createServer((guest) => {
    const radio = connect({ host: '127.0.0.1', port: ports[streams.length / 2] ?? 0 });
    streams.push(guest, radio);
    for (const [from, to] of [
      [guest, radio],
      [radio, guest],
    ] as const)
      from.on('error', () => to.destroy()).pipe(to);
  }).listen(0, '127.0.0.1');
  try {
    for (const air of airs)
      ports.push(Number((await air.says(/^virtual radio\s+tcp:127\.0\.0\.1:(\d+)/m))[1]));
    await work(`tcp:127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    for (const stream of streams) stream.destroy();
    for (const air of airs) await air.stop();
  }
};

/** A file in `/proc`, empty if the process has ended. */
const processFile = (path: string): string => {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
};

/** Whether a process is a QEMU that shares folders. */
const isQemu = (pid: string): boolean => /qemu-system-x86_64[^]*folder/.test(processFile(`${pid}/cmdline`));

/** The process id of a program's QEMU, empty until it runs. */
const qemuOf = (pid = 0): string => processFile(`${pid}/task/${pid}/children`).split(' ').find(isQemu) ?? '';

const COUNT = 10;

/**
 * `$0` is airbench, `$1` the number of its adapters, besides hci0 of the guest. `nice` gives airbench priority over the scripts,
 * since the kernel waits only 2 s for its answers.
 */
const TEN_SCRIPTS = `
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

/** The lines of the ten scripts, in any order, and the last one. */
const TEN_FACES = new RegExp(
  [
    '^',
    ...Array.from({ length: COUNT }, (_, index) => {
      const die = `D1:CE:00:00:00:${(index + 1).toString(16).toUpperCase().padStart(2, '0')}`;
      return `(?=[^]*^hci${index + 1} ended with status 5: found ${die} battery 100 % face 5$)`;
    }),
    '[^]*^left: hci0$',
  ].join(''),
  'm',
);

/** Runs a script with bleak for each adapter of `airbench air --vhci`, all at once through one bluetoothd. */
export const proveBleak = async ({ report, airbench }: Setup): Promise<void> => {
  const scripts = ['sh', '-c', TEN_SCRIPTS, AIRBENCH, String(COUNT)];
  const args = ['linux', '--packages', 'python3-bleak', '--', ...scripts];
  await report.check(
    `in a guest, airbench air --vhci ${COUNT} makes ${COUNT} adapters; ${COUNT} scripts with bleak use them at once; none is left`,
    () => ends(airbench(args, { cwd: SCRIPTS, limit: LONG_LIMIT }), 0, TEN_FACES),
  );
};

/** Runs a page in this machine's Chromium in a separate guest. */
export const proveChromium = async ({ report, airbench }: Setup): Promise<void> => {
  const args = ['linux', ...ONE_DIE, '--', 'node', 'chromium.mjs'];
  await report.check(
    'airbench linux runs Chromium, in which a page finds a die by Web Bluetooth and reads its battery',
    () => ends(airbench(args, { cwd: SCRIPTS, limit: LONG_LIMIT }), 0, /^GoDice_000001_R_v04 has 100 %\n$/),
  );
};

const BATTERY = /^found GoDice_000001_R_v04\nbattery 100 %\n/;

/** Runs third-party programs on BlueZ, each by the command on its page in docs/lab, in a folder with their npm packages. */
export const proveForeign = async ({ report, airbench, signal }: Setup): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'airbench-foreign-'));
  const inFolder = { cwd: folder, limit: LONG_LIMIT };
  const linux = (...args: readonly string[]): Program => airbench(['linux', ...ONE_DIE, ...args], inFolder);
  try {
    await cp(SCRIPTS, folder, { recursive: true });
    const quietly = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--prefix', folder];
    const packages = ['node-ble', 'webbluetooth', 'jest@29'];
    await promisify(execFile)('npm', ['install', ...quietly, ...packages], { signal });
    await cp(join(folder, 'node_modules/node-ble'), join(folder, 'node-ble'), { recursive: true });
    await symlink(resolve('.'), join(folder, 'node_modules/airbench'));
    await report.each({
      'Qt Bluetooth finds a die and reads its battery': () =>
        ends(linux('--packages', 'python3-pyqt5.qtbluetooth', '--', 'python3', 'qt.py'), 0, BATTERY),
      'webbluetooth, by SimpleBLE, finds a die and reads its battery': () =>
        ends(linux('--', 'node', 'webbluetooth.mjs'), 0, BATTERY),
      'the tests of node-ble against a device pass': () =>
        ends(
          airbench(['e2e.spec'], { ...inFolder, program: 'node-ble.mjs' }),
          0,
          /^PASS .*e2e\.spec\.js[^]*^Tests: +12 passed, 12 total$/m,
        ),
    });
  } finally {
    await rm(folder, { recursive: true, maxRetries: 10 });
  }
};
