/** A world in separate processes, its devices, and clients of both servers. */
import { checkAnswer, checkMessage } from '../../features/clients/clients.js';
import { Control } from '../../simulators/testing/api.js';
import { world, type World } from '../../simulators/testing/index.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import { HttpClient } from '../../simulators/testing/internal/http-client.js';
import { Listener, type ListenerOptions } from '../../simulators/testing/internal/listener.js';
import { Witness } from './witness.js';

export const DICE = 20;
export const CLOCKS = 5;

/** Limits that expire within a run of half a minute. */
const FLAGS = {
  'scan-secs': 1,
  'connect-timeout': 1.5,
  'discover-timeout': 1.5,
  'gatt-timeout': 2,
  'answer-timeout': 1.5,
  'calibrate-timeout': 0.5,
  'reconnect-secs': 600,
  'rate-limit': 0,
  verbose: 1,
  name: 'load',
};

/** Longer than the limit of an operation. */
const PATIENCE_MS = 60_000;

export interface Site {
  readonly world: World;
  readonly http: { readonly dice: HttpClient; readonly clock: HttpClient };
  readonly control: Control;
  readonly dice: readonly string[];
  readonly clocks: readonly string[];
  readonly diceClients: readonly Listener[];
  readonly clockClients: readonly ClockClient[];
  readonly witness: Witness;
}

/**
 * Each request has its own connection. A server closes a kept connection after 65 s, unnoticed while a window is judged, and
 * the next request on that connection would fail.
 */
const httpClient = (url: string): HttpClient =>
  new HttpClient(url, {
    headers: { connection: 'close' },
    exchanged: (call, answer) => checkAnswer(url, call, answer),
  });

/** All clients receive the same messages. Only the first client checks them by the documents. */
const clientsOf = <C extends Listener>(
  count: number,
  open: (options: ListenerOptions) => Promise<C>,
  url: string,
) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      open({
        limit: PATIENCE_MS,
        ...(index === 0 && {
          exchanged: (sender, text) => sender === 'server' && checkMessage(url, text),
        }),
      }),
    ),
  );

interface SiteOptions {
  readonly clients: number;
  readonly flags: Readonly<Record<string, string | number>>;
  readonly trace: string;
  readonly onLog: (line: string) => void;
}

export const openSite = async ({ clients, flags, trace, onLog }: SiteOptions): Promise<Site> => {
  const rig = await world({ dice: DICE, clocks: CLOCKS, trace, onLog, flags: { ...FLAGS, ...flags } });
  const control = new Control(rig.control.url, httpClient(rig.control.url));
  const devices = await control.devices();
  const addresses = (kind: string): readonly string[] =>
    devices.filter((device) => device.kind === kind).map(({ address }) => address);
  const diceUrl = rig.dice.socket('/ws?detail=full');
  const clockUrl = rig.clock.socket('/ws?detail=full');
  return {
    ...{ world: rig, control, dice: addresses('dice'), clocks: addresses('clock') },
    http: { dice: httpClient(rig.dice.url), clock: httpClient(rig.clock.url) },
    diceClients: await clientsOf(clients, (options) => Listener.open(diceUrl, options), diceUrl),
    clockClients: await clientsOf(clients, (options) => ClockClient.open(clockUrl, options), clockUrl),
    witness: await Witness.open(control.socket('/events')),
  };
};
