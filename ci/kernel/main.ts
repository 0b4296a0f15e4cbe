/** `npm run kernel`: a Linux kernel in QEMU as a host of the virtual radio; see docs/kernel.md. */
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { Command, InvalidArgumentError } from 'commander';
import { freePorts } from '../../features/support/loopback.js';
import { KINDS, perKind } from '../../src/contract/kinds.js';
import { findImage } from '../../simulators/lab/linux/find-image.js';
import { Missing } from '../../simulators/lab/linux/program.js';
import { AIRBENCH } from '../../src/system/package.js';
import { Air } from './clients.js';
import { Guest, GUEST_PORTS, PREPARATION, type Setup } from './guest.js';
import { starter } from './program.js';
import { Report, REPORTS } from './report.js';
import { proveBench, proveRecord, proveVhci } from './scenarios/adapters.js';
import { proveBluez, proveBluezFeatures } from './scenarios/bluez.js';
import { provePairing, provePrivacy } from './scenarios/bonds.js';
import { proveBleak, proveChromium, proveForeign, proveLinux } from './scenarios/own-guests.js';
import { proveServers, proveShared, proveUserChannel } from './scenarios/servers.js';
import { proveBluetoothctl, proveGatttool, proveHciTester, provePower } from './scenarios/tools.js';

const BAD_USAGE = 2;
const INTERRUPTED = 130;

/** The scenarios in this order; `power` always runs, since all others need it. */
const SCENARIOS: Readonly<Record<string, (setup: Setup) => Promise<void>>> = {
  power: provePower,
  bluetoothctl: proveBluetoothctl,
  pairing: provePairing,
  privacy: provePrivacy,
  gatttool: proveGatttool,
  features: proveServers,
  bench: proveBench,
  shared: proveShared,
  'user-channel': proveUserChannel,
  'hci-tester': proveHciTester,
  vhci: proveVhci,
  record: proveRecord,
  bluez: proveBluez,
  'bluez-features': proveBluezFeatures,
  linux: proveLinux,
  bleak: proveBleak,
  chromium: proveChromium,
  foreign: proveForeign,
};

interface Flags {
  readonly only?: readonly string[];
  readonly without?: readonly string[];
  readonly shell: boolean;
  readonly optional: boolean;
}

/** Whether `AIRBENCH_REQUIRE` requires this run. */
const isRequired = (process.env['AIRBENCH_REQUIRE'] ?? '').split(',').some((name) => name.trim() === 'qemu');

/** Turns a failure before the start into a `Missing`: this machine lacks a requirement. */
const prepared = async <A>(preparing: Promise<A>, signal: AbortSignal): Promise<A> => {
  try {
    return await preparing;
  } catch (error) {
    if (signal.aborted || error instanceof Missing) throw error;
    throw new Missing(error instanceof Error ? error.message : String(error), { cause: error });
  }
};

/** Runs an interactive shell in a guest with a die and a clock on the radio; the exit status is the shell's. */
const runShell = async (): Promise<number> => {
  const shell = ['sh', '-c', `${PREPARATION}; exec sh`];
  const flags = ['--adapters', '2', '--dice', '1', '--clocks', '1', '--pace', 'fast'];
  const trace = ['--trace', `${REPORTS}/air.btsnoop`];
  const args = [AIRBENCH, 'linux', ...flags, ...trace, '--', ...shell];
  const [status] = (await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close')) as [
    number | null,
  ];
  return status ?? 1;
};

const runChecks = async (
  { only, without = [] }: Pick<Flags, 'only' | 'without'>,
  signal: AbortSignal,
): Promise<number> => {
  const report = new Report(`${REPORTS}/serial.log`, signal);
  const airbench = starter(report, signal);
  const [hci = 0, radio = 0, control = 0, ...servers] = await freePorts(3 + KINDS.length);
  const ports = { ...perKind((kind) => servers[KINDS.indexOf(kind)] ?? 0), control };
  const forwards = ([...KINDS, 'control'] as const).map((name) => `${ports[name]}:${GUEST_PORTS[name]}`);
  let guest: Guest | undefined;
  try {
    const place = ['--hci-port', String(hci), '--control-port', String(radio), '--forward', forwards.join()];
    const world = ['--dice', '0', '--clocks', '0', '--pace', 'fast', '--trace', `${REPORTS}/air.btsnoop`];
    guest = await Guest.boot(airbench, [...world, ...place]);
    report.send(`# Linux ${(await guest.succeeds('uname -r')).trim()}`);
    const air = new Air(`http://127.0.0.1:${radio}`);
    const setup = { guest, air, hci: `tcp:127.0.0.1:${hci}`, report, airbench, ports, signal };
    for (const [name, run] of Object.entries(SCENARIOS)) {
      const isSelected = (only === undefined || only.includes(name)) && !without.includes(name);
      if (name === 'power' || isSelected) await run(setup);
      signal.throwIfAborted();
      await guest.release();
    }
    report.send(`${report.passed} passed, ${report.failed} failed`);
    return report.failed === 0 ? 0 : 1;
  } finally {
    await guest?.end();
    await report.close();
  }
};

const main = async ({ shell, ...flags }: Flags, signal: AbortSignal): Promise<number> => {
  await prepared(findImage(undefined, { signal }), signal);
  await mkdir(REPORTS, { recursive: true });
  return shell ? runShell() : runChecks(flags, signal);
};

const scenarioNames = (list: string): readonly string[] => {
  const names = list.split(',');
  const wrong = names.find((name) => !(name in SCENARIOS));
  if (wrong === undefined) return names;
  throw new InvalidArgumentError(`it must be some of ${Object.keys(SCENARIOS).join(', ')}, got "${wrong}"`);
};

const readFlags = (): Flags =>
  new Command('kernel')
    .description('a Linux kernel in QEMU as a host of the virtual radio')
    .option('--only <scenarios>', `run only some of ${Object.keys(SCENARIOS).join(', ')}`, scenarioNames)
    .option('--without <scenarios>', 'run all but these', scenarioNames)
    .option('--shell', 'start a shell in the guest instead of scenarios', false)
    .option('--optional', 'succeed if a requirement is missing, except under AIRBENCH_REQUIRE', false)
    .configureOutput({ outputError: (text, write) => write(text.replace('is invalid. ', 'is invalid: ')) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : BAD_USAGE))
    .parse()
    .opts<Flags>();

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(INTERRUPTED);
    process.stderr.write('interrupted\n');
    stop.abort();
  });
}

const flags = readFlags();
try {
  process.exitCode = await main(flags, stop.signal);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  const lacks = error instanceof Missing && !isRequired;
  if (stop.signal.aborted) process.exitCode = INTERRUPTED;
  else if (lacks && flags.optional) process.stdout.write(`no run on a Linux kernel: ${reason}\n`);
  else {
    process.stderr.write(`${reason}\n`);
    process.exitCode = lacks ? BAD_USAGE : 1;
  }
}
