import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { airbenchLinux, textOf } from '../airbench-linux.js';
import { startAirbench } from '../airbench.js';
import { freePorts } from '../machine.js';
import type { Setup } from '../setup.js';
import { startTwins } from '../twins.js';
import { serverAt } from './dice-client.js';

/** Milliseconds; a guest of its own boots in about ten seconds, and packages may have to be fetched. */
const LIMIT = 240_000;

/**
 * It has a line of stdin, says something on stderr, serves a die until stdin ends, and becomes the script with bleak, whose
 * exit status is the face.
 */
const COMMAND =
  'read -r line; echo "heard $line"; echo warned >&2; python3 peripheral.py; exec python3 roll.py';

/** Bytes: more than all buffers between a command and its reader hold. */
const MUCH = 3_000_000;

const KEPT = `kernel-${process.pid}`;

/** The device that peripheral.py serves. */
const NAME = 'GoDice_B1E200_G_v04';
const LEVEL = 77;

/** The first and the last that peripheral.py says. */
const ON_THE_AIR = `on the air as ${NAME}`;
const LEFT = 'no host listens';

const EXPECTED = [
  'heard a line',
  ...[ON_THE_AIR, 'a host listens', 'lit ff0000 0000ff', 'rolled 4', LEFT],
  ...['found D1:CE:00:00:00:01', 'battery 100 %', 'face 5', ''],
].join('\n');

const DICE_SERVER = /^dice server\s+http:\/\/(\S+)/m;

/** A guest of its own for programs of this machine: its streams, its exit status, its end. */
export const proveLinux = async ({ report, signal }: Setup): Promise<void> => {
  const [port = 0] = await freePorts(1);
  const world = ['--dice', '1', '--clocks', '0', '--hci-port', String(port)];
  const packages = ['--packages', 'python3-bleak,python3-dbus,python3-gi'];
  const program = airbenchLinux([...world, ...packages, '--', 'sh', '-c', COMMAND], LIMIT, signal);
  const closed = once(program, 'close');
  // It is awaited by the second check.
  closed.catch(() => undefined);
  const said = textOf(program.stdout);
  const warned = textOf(program.stderr);
  const says = async (line: string): Promise<void> => {
    await until(() => said().includes(line) || program.exitCode !== null, `peripheral.py to say “${line}”`);
  };
  await report.check(
    'airbench linux runs a die that BlueZ serves: the dice server finds it, lights it, reads its battery, sees it roll',
    async () => {
      program.stdin?.write('a line\n');
      await says(ON_THE_AIR);
      await meetDie(port, () => program.stdin?.write('4\n'), signal);
      await says(LEFT);
    },
  );
  await report.check(
    'airbench linux runs a script with bleak: it finds a die, lights it, reads its battery, sees it roll',
    async () => {
      program.stdin?.end();
      const [status] = (await closed) as [number | null];
      if (status !== 5 || said() !== EXPECTED || warned() !== 'warned\n')
        throw new Error(`it ended with status ${status}, and said:\n${said()}${warned()}`);
    },
  );
  await report.check(
    'a die that BlueZ serves in one guest is found, lit and seen rolling by bleak in another',
    async () => {
      const beside = ['--beside', 'python3 peripheral.py 5'];
      const central = ['env', '-u', 'CONTROL_URL', 'python3', 'roll.py'];
      const alone = ['--dice', '0', '--clocks', '0'];
      const program = airbenchLinux([...alone, ...packages, ...beside, '--', ...central], LIMIT, signal);
      const found = textOf(program.stdout);
      const besideSaid = textOf(program.stderr);
      const [status] = (await once(program, 'close')) as [number | null];
      if (status !== 5 || !/^found .*\nbattery 77 %\nface 5\n$/.test(found()))
        throw new Error(`it ended with status ${status}, and said:\n${found()}${besideSaid()}`);
      if (!besideSaid().includes('beside 1: lit ff0000 0000ff')) throw new Error(besideSaid());
    },
  );
  await report.check('a slow reader of airbench linux gets all that the command writes', async () => {
    const program = airbenchLinux(['--', 'head', '-c', String(MUCH), '/dev/zero'], LIMIT, signal);
    let bytes = 0;
    for await (const piece of program.stdout ?? []) {
      bytes += (piece as Buffer).length;
      await setTimeout(20);
    }
    if (bytes !== MUCH) throw new Error(`it got ${bytes} of ${MUCH} bytes`);
  });
  await report.check('two commands in a kept guest: one leaves a file that the other reads', async () => {
    const kept = airbenchLinux(['--keep', KEPT], LIMIT, signal);
    const ended = once(kept, 'close');
    ended.catch(() => undefined);
    const said = textOf(kept.stdout);
    await until(
      () => said().includes('takes commands') || kept.exitCode !== null,
      'the guest to take commands',
    );
    const statuses: (number | null)[] = [];
    for (const command of ['bluetoothctl list >/run/list', 'grep -q Controller /run/list && exit 7']) {
      const program = airbenchLinux(['--in', KEPT, '--', 'sh', '-c', command], LIMIT, signal);
      const [status] = (await once(program, 'close')) as [number | null];
      statuses.push(status);
    }
    kept.kill('SIGINT');
    await ended;
    if (statuses.join() !== '0,7') throw new Error(`they ended with ${statuses.join(' and ')}`);
  });
  await report.check('of two adapters with one address BlueZ has one, and a warning names both', async () => {
    const { hciPort, end } = await startTwins(signal);
    try {
      const radio = ['--adapters', '2', '--hci', `tcp:127.0.0.1:${hciPort}`];
      const program = airbenchLinux([...radio, '--', 'bluetoothctl', 'list'], LIMIT, signal);
      const [listed, warned] = [textOf(program.stdout), textOf(program.stderr)];
      const [status] = (await once(program, 'close')) as [number | null];
      if (
        status !== 0 ||
        listed().match(/^Controller /gm)?.length !== 1 ||
        !/^hci(0 has the address of hci1|1 has the address of hci0): BlueZ does without it$/m.test(warned())
      )
        throw new Error(`it ended with status ${status}, and said:\n${listed()}${warned()}`);
    } finally {
      await end();
    }
  });
  await report.check('kill -9 of airbench linux leaves no QEMU', async () => {
    const program = airbenchLinux(['--', 'sleep', '1000'], LIMIT, signal);
    let qemu: string | undefined;
    await until(() => (qemu = qemuOf(program.pid)) !== undefined, 'QEMU to start');
    program.kill('SIGKILL');
    await until(() => !commandLine(qemu ?? '').includes(QEMU), 'QEMU to end');
  });
};

/** A dice server on the radio at this port, with the die of peripheral.py. */
const meetDie = async (port: number, roll: () => void, signal: AbortSignal): Promise<void> => {
  const { output, end } = await startAirbench(
    ['dice', '--hci', `tcp:127.0.0.1:${port}`, '--address', '127.0.0.1', '--port', '0', '--scan-secs', '3'],
    [DICE_SERVER],
    signal,
  );
  try {
    const server = serverAt(DICE_SERVER.exec(output)?.[1] ?? '');
    await server.connects(await server.finds(NAME));
    await server.lights('FF0000', '0000FF');
    const events = await server.listen();
    roll();
    await events.until(({ kind, face }) => kind === 'Stable' && face === 4);
    events.end();
    const { battery_level: level } = await server.status();
    if (level !== LEVEL) throw new Error(`its battery level is ${String(level)}`);
    await server.disconnects();
  } finally {
    await end();
  }
};

/** @throws what was waited for, when it takes too long. */
const until = async (holds: () => boolean, what: string): Promise<void> => {
  const deadline = AbortSignal.timeout(LIMIT);
  while (!holds()) {
    if (deadline.aborted) throw new Error(`waited ${LIMIT / 1000} s for ${what}`);
    await setTimeout(50);
  }
};

const QEMU = 'qemu-system-x86_64';

/** The process id of a program's QEMU, once it runs. */
const qemuOf = (pid = 0): string | undefined =>
  readFile(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .find(
      (child) => child !== '' && commandLine(child).includes(QEMU) && commandLine(child).includes('folder'),
    );

const commandLine = (pid: string): string => readFile(`/proc/${pid}/cmdline`);

/** Empty for a process that is gone. */
const readFile = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
