import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

/** `airbench air` on free ports. */
export interface RunningAir {
  readonly hciPort: number;
  readonly controlUrl: string;
  /** Puts `DIE` and `CLOCK` on the air, and nobody else. */
  readonly populate: () => Promise<void>;
  /** Has a device do something (docs/control-api.md). */
  readonly act: (address: string, action: object) => Promise<void>;
  /** Moves a device (docs/control-api.md). */
  readonly place: (address: string, place: object) => Promise<void>;
  /** Resolves when the model of a device is as wanted; throws the model when that takes too long. */
  readonly until: (address: string, holds: (model: Json) => boolean) => Promise<void>;
  /** Watches for a host's next command of this name; the wait that it gives resolves when it has been sent. */
  readonly watch: (opcode: string) => Promise<() => Promise<void>>;
  readonly end: () => Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

export const DIE = 'D1:CE:00:00:00:01';
export const CLOCK = '58:2D:34:00:00:01';

const LIMIT = 15_000;

/** Starts a radio with nobody on it; all HCI packets go to the file `trace`. */
export const startAir = async (trace: string, signal: AbortSignal): Promise<RunningAir> => {
  const flags = ['--dice', '0', '--clocks', '0', '--pace', 'fast', '--hci-port', '0', '--control-port', '0'];
  const air = spawn(process.execPath, ['dist/src/cli/main.js', 'air', ...flags, '--trace', trace], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = async (): Promise<void> => {
    if (air.exitCode !== null || air.signalCode !== null) return;
    const exit = once(air, 'exit');
    air.kill('SIGINT');
    await exit;
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT)]);
  const lines = createInterface({ input: air.stdout, signal: limit });
  let said = '';
  for await (const line of lines) {
    said += `${line}\n`;
    const hciPort = /^virtual radio\s+tcp:127\.0\.0\.1:(\d+)/m.exec(said)?.[1];
    const controlUrl = /^control API\s+(http:\S+)/m.exec(said)?.[1];
    if (hciPort !== undefined && controlUrl !== undefined) {
      air.stdout.resume();
      return { hciPort: Number(hciPort), controlUrl, ...devicesAt(controlUrl), end };
    }
  }
  await end();
  throw new Error(`airbench air did not say within ${LIMIT / 1000} s that it is ready`);
};

const devicesAt = (controlUrl: string): Omit<RunningAir, 'hciPort' | 'controlUrl' | 'end'> => ({
  populate: async () => {
    await ask('POST', `${controlUrl}/reset`, {});
    await ask('POST', `${controlUrl}/devices`, { kind: 'dice', address: DIE });
    await ask('POST', `${controlUrl}/devices`, { kind: 'clock', address: CLOCK });
  },
  act: async (address, action) => {
    await ask('POST', `${controlUrl}/devices/${address}/actions`, action);
  },
  place: async (address, place) => {
    await ask('PUT', `${controlUrl}/air/${address}`, place);
  },
  until: (address, holds) => becomes(() => ask('GET', `${controlUrl}/devices/${address}`), holds),
  watch: async (opcode) => {
    // A delay of nothing: it does nothing but count.
    const fault = { device: 'all', type: 'delay', ms: 0, stage: 'command', opcode, times: 1 };
    const { id } = await ask('POST', `${controlUrl}/faults`, fault);
    const counted = async (): Promise<Json> => {
      const all = (await ask('GET', `${controlUrl}/faults`)) as unknown as readonly Json[];
      return all.find((one) => one['id'] === id) ?? {};
    };
    return () => becomes(counted, ({ hits }) => hits === 1);
  },
});

/** @throws what was read last, when it does not hold in time. */
const becomes = async (read: () => Promise<Json>, holds: (read: Json) => boolean): Promise<void> => {
  const deadline = AbortSignal.timeout(LIMIT);
  for (;;) {
    const now = await read();
    if (holds(now)) return;
    if (deadline.aborted) throw new Error(`it never came about: ${JSON.stringify(now)}`);
    await setTimeout(50);
  }
};

const ask = async (method: 'GET' | 'POST' | 'PUT', url: string, body?: object): Promise<Json> => {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url} ${JSON.stringify(body)}: ${await answer.text()}`);
  return (await answer.json()) as Json;
};
