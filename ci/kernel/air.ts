import { setTimeout } from 'node:timers/promises';
import { startAirbench } from './airbench.js';

/** `airbench air` on free ports. */
export interface RunningAir extends Devices {
  readonly hciPort: number;
  readonly controlUrl: string;
  readonly end: () => Promise<void>;
}

/** What is done by way of a control API (docs/control-api.md). */
interface Devices {
  /** Puts `DIE` and `CLOCK` on the air, and nobody else. */
  readonly populate: () => Promise<void>;
  /** Has a device do something. */
  readonly act: (address: string, action: object) => Promise<void>;
  /** Resolves when the model of a device is as wanted; throws the model after a few seconds. */
  readonly until: (address: string, holds: (model: Model) => boolean) => Promise<void>;
}

type Model = Readonly<Record<string, unknown>>;

export const DIE = 'D1:CE:00:00:00:01';
export const CLOCK = '58:2D:34:00:00:01';

const HCI_PORT = /^virtual radio\s+tcp:127\.0\.0\.1:(\d+)/m;
const CONTROL_URL = /^control API\s+(http:\S+)/m;

/** Starts a radio with nobody on it; all HCI packets go to the file `trace`. */
export const startAir = async (trace: string, signal: AbortSignal): Promise<RunningAir> => {
  const flags = ['--dice', '0', '--clocks', '0', '--pace', 'fast', '--hci-port', '0', '--control-port', '0'];
  const { said, end } = await startAirbench(
    ['air', ...flags, '--trace', trace],
    [HCI_PORT, CONTROL_URL],
    signal,
  );
  const hciPort = Number(HCI_PORT.exec(said)?.[1]);
  const controlUrl = CONTROL_URL.exec(said)?.[1] ?? '';
  return { hciPort, controlUrl, ...devicesAt(controlUrl), end };
};

const MODEL_LIMIT = 5000;

/** The devices of a control API. */
export const devicesAt = (controlUrl: string): Devices => ({
  populate: async () => {
    await post(`${controlUrl}/reset`, {});
    await post(`${controlUrl}/devices`, { kind: 'dice', address: DIE });
    await post(`${controlUrl}/devices`, { kind: 'clock', address: CLOCK });
  },
  act: async (address, action) => {
    await post(`${controlUrl}/devices/${address}/actions`, action);
  },
  until: async (address, holds) => {
    const deadline = AbortSignal.timeout(MODEL_LIMIT);
    for (;;) {
      const model = (await (await fetch(`${controlUrl}/devices/${address}`)).json()) as Model;
      if (holds(model)) return;
      if (deadline.aborted) throw new Error(`it never came about: ${JSON.stringify(model)}`);
      await setTimeout(50);
    }
  },
});

export const post = async (url: string, body: object): Promise<unknown> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${url} ${JSON.stringify(body)}: ${await answer.text()}`);
  return answer.json();
};
