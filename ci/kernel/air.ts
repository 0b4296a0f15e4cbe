import { setTimeout } from 'node:timers/promises';
import { startAirbench } from './airbench.js';

/** `airbench air` on free ports. */
export interface RunningAir extends Devices {
  readonly hciPort: number;
  readonly controlUrl: string;
  readonly end: () => Promise<void>;
}

/** Actions by way of a control API (docs/control-api.md). */
interface Devices {
  /** Puts `DIE` and `CLOCK` on the air, and no other. */
  readonly populate: () => Promise<void>;
  /** Has a device do something. */
  readonly act: (address: string, action: object) => Promise<void>;
  /** Moves a device (docs/control-api.md). */
  readonly place: (address: string, place: object) => Promise<void>;
  /** Resolves when the model of a device is as wanted; throws the model when that takes too long. */
  readonly until: (address: string, holds: (model: Json) => boolean) => Promise<void>;
  /** The addresses on the air with which hosts have received a device of this name, the newest last. */
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  /** The addresses on the air of the hosts that have connected a device, the newest last. */
  readonly peersOf: (address: string) => Promise<readonly string[]>;
  /** Watches for a host's next command of this name; the wait that it gives resolves when it has been sent. */
  readonly watch: (opcode: string) => Promise<() => Promise<void>>;
}

type Json = Readonly<Record<string, unknown>>;

/** How long what is awaited may take, milliseconds. */
const LIMIT = 60_000;

export const DIE = 'D1:CE:00:00:00:01';
export const CLOCK = '58:2D:34:00:00:01';

const HCI_PORT = /^virtual radio\s+tcp:127\.0\.0\.1:(\d+)/m;
const CONTROL_URL = /^control API\s+(http:\S+)/m;

/** Starts a radio without devices; all HCI packets go to the file `trace`. */
export const startAir = async (trace: string, signal: AbortSignal): Promise<RunningAir> => {
  const flags = ['--dice', '0', '--clocks', '0', '--pace', 'fast', '--hci-port', '0', '--control-port', '0'];
  const { output, end } = await startAirbench(
    ['air', ...flags, '--trace', trace],
    [HCI_PORT, CONTROL_URL],
    signal,
  );
  const hciPort = Number(HCI_PORT.exec(output)?.[1]);
  const controlUrl = CONTROL_URL.exec(output)?.[1] ?? '';
  return { hciPort, controlUrl, ...devicesAt(controlUrl), end };
};

/** The devices of a control API. */
export const devicesAt = (controlUrl: string): Devices => ({
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
  addressesOf: async (name) =>
    (await packetsAt(controlUrl))
      .filter(({ summary }) => summary.includes(`name ${name}`))
      .map(({ peer }) => String(peer)),
  peersOf: async (address) =>
    (await packetsAt(controlUrl))
      .filter(({ adapter, summary }) => adapter === address && summary.includes('Connection Complete'))
      .map(({ hex }) => addressIn(hex)),
  watch: async (opcode) => {
    // A delay of nothing: it does nothing but count.
    const fault = { device: 'all', type: 'delay', ms: 0, stage: 'command', opcode, times: 1 };
    const { id } = (await ask('POST', `${controlUrl}/faults`, fault)) as Json;
    const counted = async (): Promise<Json> => {
      const all = (await ask('GET', `${controlUrl}/faults`)) as readonly Json[];
      return all.find((one) => one['id'] === id) ?? {};
    };
    return () => becomes(counted, ({ hits }) => hits === 1);
  },
});

interface Packet {
  readonly adapter: string | null;
  readonly summary: string;
  readonly peer: string | null;
  readonly hex: string;
}

/** The newest packets. */
const packetsAt = async (controlUrl: string): Promise<readonly Packet[]> =>
  ((await ask('GET', `${controlUrl}/trace/packets?limit=1000`)) as { readonly packets: readonly Packet[] })
    .packets;

/** Peer_Address of a connection event, behind nine octets (Core 5.4 Vol 4 Part E 7.7.65.1). */
const addressIn = (hex: string): string => {
  const octets = Buffer.from(hex, 'hex').subarray(9, 15).reverse();
  return (octets.toString('hex').toUpperCase().match(/../g) ?? []).join(':');
};

/** @throws what was read last, when it does not hold in time. */
const becomes = async (read: () => Promise<unknown>, holds: (read: Json) => boolean): Promise<void> => {
  const deadline = AbortSignal.timeout(LIMIT);
  for (;;) {
    const now = (await read()) as Json;
    if (holds(now)) return;
    if (deadline.aborted) throw new Error(`it never came about: ${JSON.stringify(now)}`);
    await setTimeout(50);
  }
};

export const ask = async (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  body?: object,
): Promise<unknown> => {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url} ${JSON.stringify(body)}: ${await answer.text()}`);
  return answer.json();
};
