import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, Control } from './api.js';
import { Program } from './internal/program.js';

export interface WorldOptions {
  /** How many GoDice; 0 if left out, as are `pixels` and `clocks`. */
  readonly dice?: number;
  /** How many Pixels dice. */
  readonly pixels?: number;
  /** How many CGD1 clocks. */
  readonly clocks?: number;
  /** More devices, each as `POST /devices` of the control API takes it. */
  readonly devices?: readonly object[];
  /** `fast`, the default: packets take no time on the air. */
  readonly pace?: 'fast' | 'real';
  /** A btsnoop file for all packets, which Wireshark opens. */
  readonly trace?: string;
  /** More flags of `airbench rig` (`airbench rig --help`) without their dashes, such as `{"scan-secs": 0.5}`. */
  readonly flags?: Readonly<Record<string, string | number>>;
  /** Receives the log line by line; by default, only the errors of a world that fails contain it. */
  readonly onLog?: (line: string) => void;
}

/** A simulated world: a radio with virtual devices, and servers on it, all on free ports of this machine. */
export interface World {
  /** The radio for hosts of your own: `--hci` of the servers, or `tcp:HOST:PORT` as Bumble and others call it. */
  readonly hci: string;
  /** The dice server. */
  readonly dice: Api;
  /** The clock server. */
  readonly clock: Api;
  readonly control: Control;
  /** Ends the world; resolves when all its processes have ended. Rejects if it has not ended in order. */
  readonly close: () => Promise<void>;
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** How long a world may take to start, milliseconds. The rig itself waits two minutes for its servers. */
const START_MS = 130_000;

/** Starts a world; it ends with this process at the latest. Rejects with its log if it does not start within 130 s. */
export const world = async ({
  dice = 0,
  pixels = 0,
  clocks = 0,
  devices = [],
  pace = 'fast',
  trace,
  flags = {},
  onLog = () => undefined,
}: WorldOptions = {}): Promise<World> => {
  const folder = mkdtempSync(join(tmpdir(), 'airbench-world-'));
  const deviceFile = join(folder, 'devices.json');
  writeFileSync(deviceFile, JSON.stringify(devices));
  const all = {
    ...{ dice, pixels, clocks, pace, devices: deviceFile },
    ...(trace !== undefined && { trace }),
    ...flags,
  };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const rig = Program.rig(['--end-with-stdin', ...args], { tie: 'stdin', onLog });
  rig.process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const urlOf = async (part: string): Promise<string> => {
    try {
      return await rig.url(part, START_MS);
    } catch (error) {
      // A rig that has ended rejects with its log.
      if (rig.process.exitCode !== null) await rig.close();
      await rig.signal('SIGKILL');
      throw error;
    }
  };
  const close = (): Promise<void> => rig.close();
  return {
    dice: new Api(await urlOf('dice server')),
    clock: new Api(await urlOf('clock server')),
    control: new Control(await urlOf('control API')),
    hci: await urlOf('virtual radio'),
    close,
    [Symbol.asyncDispose]: close,
  };
};
