/** `npm run kernel`: a Linux kernel in QEMU as a host of the virtual radio; see docs/kernel.md. */
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { KINDS, perKind } from '../../src/contract/kinds.js';
import { fetchPackages } from '../../src/linux/packages.js';
import { Missing } from '../../src/linux/program.js';
import { extractKernel } from '../../src/linux/vmlinux.js';
import { startAir, type RunningAir } from './air.js';
import { Guest } from './guest.js';
import { writeKernelInitramfs } from './initramfs.js';
import { SerialLog } from './log.js';
import { freePorts, startMachine, type KernelMachine } from './machine.js';
import { proveBench } from './scenarios/bench.js';
import { proveBleak } from './scenarios/bleak.js';
import { proveBluetoothctl } from './scenarios/bluetoothctl.js';
import { provePairing } from './scenarios/pairing.js';
import { proveChromium } from './scenarios/chromium.js';
import { proveForeign } from './scenarios/foreign.js';
import { proveGatttool } from './scenarios/gatttool.js';
import { proveHciTester } from './scenarios/hci-tester.js';
import { proveLinux } from './scenarios/linux.js';
import { provePower } from './scenarios/power.js';
import { provePrivacy } from './scenarios/privacy.js';
import { proveRecord } from './scenarios/record.js';
import { proveServers } from './scenarios/servers.js';
import { proveShared } from './scenarios/shared.js';
import { proveUserChannel } from './scenarios/user-channel.js';
import { proveVhci } from './scenarios/vhci.js';
import { Report } from './report.js';
import { makeRuntime } from './runtime.js';
import { GUEST_PORTS, REPORTS, type Ports, type Setup } from './setup.js';

const BAD_USAGE = 2;
const INTERRUPTED = 130;

/** In this order; `power` always runs: all others need it. */
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
  linux: proveLinux,
  bleak: proveBleak,
  chromium: proveChromium,
  foreign: proveForeign,
};

interface Flags {
  readonly only: readonly string[];
  readonly without: readonly string[];
  readonly shell: boolean;
  readonly optional: boolean;
}

/** Whether `AIRBENCH_REQUIRE` wants this run, come what may. */
const isRequired = (process.env['AIRBENCH_REQUIRE'] ?? '').split(',').some((name) => name.trim() === 'qemu');

/** A failure before anything is started is something that this machine lacks. */
const prepared = async <A>(preparing: Promise<A>, signal: AbortSignal): Promise<A> => {
  try {
    return await preparing;
  } catch (error) {
    if (signal.aborted || error instanceof Missing) throw error;
    throw new Missing(error instanceof Error ? error.message : String(error), { cause: error });
  }
};

/** Fetches and builds what is not in the cache, starts the radio, and runs `work` on the machine that fits both. */
const withMachine = async <A>(
  shell: boolean,
  signal: AbortSignal,
  work: (machine: KernelMachine, air: RunningAir, ports: Ports) => Promise<A>,
): Promise<A> => {
  const packages = await prepared(fetchPackages({ signal }), signal);
  const kernel = await prepared(extractKernel(packages, { signal }), signal);
  const runtime = await prepared(makeRuntime({ signal }), signal);
  const folder = await mkdtemp(join(tmpdir(), 'airbench-kernel-'));
  let air: RunningAir | undefined;
  try {
    const initramfs = join(folder, 'initramfs.cpio');
    await writeKernelInitramfs(packages, runtime, initramfs, { signal });
    await mkdir(REPORTS, { recursive: true });
    air = await startAir(`${REPORTS}/air.btsnoop`, signal);
    const { hciPort } = air;
    // After the radio has taken its own.
    const [control = 0, ...others] = await freePorts(1 + KINDS.length);
    const ports = { ...perKind((kind) => others[KINDS.indexOf(kind)] ?? 0), control };
    const forwarded = ([...KINDS, 'control'] as const).map((name) => ({
      guest: GUEST_PORTS[name],
      host: ports[name],
    }));
    const machine = { packages, kernel, initramfs, hciPort, forwarded, shell };
    return await work(machine, air, ports);
  } finally {
    await air?.end();
    await rm(folder, { recursive: true, maxRetries: 10 });
  }
};

const main = ({ only, without, shell }: Omit<Flags, 'optional'>, signal: AbortSignal): Promise<number> =>
  withMachine(shell, signal, async (machine, air, ports) => {
    if (!shell) return runChecks(machine, { air, ports, signal }, { only, without });
    await air.populate();
    await once(startMachine(machine, signal), 'close');
    return 0;
  });

const runChecks = async (
  machine: KernelMachine,
  outside: Pick<Setup, 'air' | 'ports' | 'signal'>,
  { only, without }: Pick<Flags, 'only' | 'without'>,
): Promise<number> => {
  const { signal } = outside;
  const log = new SerialLog(`${REPORTS}/serial.log`);
  const report = new Report(log, signal);
  let guest: Guest | undefined;
  try {
    const booted = await Guest.boot(machine, log, signal);
    guest = booted.guest;
    report.send(`# Linux ${booted.release}, started under emulation`);
    const setup = { ...outside, guest, report };
    for (const [name, run] of Object.entries(SCENARIOS)) {
      const isWanted = (only.length === 0 || only.includes(name)) && !without.includes(name);
      if (name === 'power' || isWanted) await run(setup);
      signal.throwIfAborted();
    }
    report.send(`${report.passed} passed, ${report.failed} failed`);
    return report.failed === 0 ? 0 : 1;
  } finally {
    await guest?.end();
    await log.close();
  }
};

const scenarioNames = (given: string): readonly string[] => {
  const names = given.split(',');
  const wrong = names.find((name) => !(name in SCENARIOS));
  if (wrong === undefined) return names;
  throw new InvalidArgumentError(`it must be some of ${Object.keys(SCENARIOS).join(', ')}, got "${wrong}"`);
};

const readFlags = (): Flags =>
  new Command('kernel')
    .description('a Linux kernel in QEMU as a host of the virtual radio')
    .addOption(
      new Option('--only <scenarios>', `some of ${Object.keys(SCENARIOS).join(', ')}`)
        .default([], 'all')
        .argParser(scenarioNames),
    )
    .addOption(new Option('--without <scenarios>', 'not these').default([], 'none').argParser(scenarioNames))
    .addOption(new Option('--shell', 'a shell in the guest instead of scenarios').default(false))
    .addOption(
      new Option('--optional', 'succeed where this machine lacks something, unless it is required').default(
        false,
      ),
    )
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
