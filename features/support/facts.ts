/** Collects the facts of a run for the head of a report. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname, release, type, arch } from 'node:os';
import { promisify } from 'node:util';
import type { DeviceFacts, RunFacts } from '../report/facts.js';
import { authorizationFor } from '../clients/clients.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import type { Bench } from '../bench/bench.js';
import type { Scenario } from './scenario.js';

/** The parts of a bench that have evidence. */
export type Places = Pick<Bench, 'urls' | 'controlUrl' | 'log' | 'station' | 'dice' | 'clocks'>;

const versionOf = (manifest: string): string => {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return version;
};

const describeCommit = async (): Promise<string | null> => {
  try {
    const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty']);
    return stdout.trim();
  } catch {
    return null;
  }
};

let described: Promise<string | null> | undefined;

/** A process runs git once, for all its runs. */
const commit = (): Promise<string | null> => (described ??= describeCommit());

/** How long a server may take to answer a request for the report, in milliseconds: a broken server may hang. */
export const ANSWER_PATIENCE = 10_000;

/** The JSON at a path of a server. Undefined without a server, or without an answer of 200 in time. */
export const jsonAt = async (server: string | undefined, path: string): Promise<unknown> => {
  if (server === undefined) return undefined;
  try {
    const response = await fetch(server + path, {
      headers: authorizationFor(server),
      signal: AbortSignal.timeout(ANSWER_PATIENCE),
    });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
};

/** Whether a server answers a request for this path in time, with any status. */
export const answersAt = (server: string, path: string): Promise<boolean> =>
  fetch(server + path, { signal: AbortSignal.timeout(ANSWER_PATIENCE) }).then(
    () => true,
    () => false,
  );

/** The models of all devices of the control API. */
export const deviceModels = async ({ controlUrl }: Places): Promise<readonly JsonObject[]> => {
  const list = (await jsonAt(controlUrl, '/devices')) as readonly JsonObject[] | undefined;
  const models = (list ?? []).map(
    ({ address }) => jsonAt(controlUrl, `/devices/${String(address)}`) as Promise<JsonObject | undefined>,
  );
  return (await Promise.all(models)).filter((model) => model !== undefined);
};

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A die has its version at the end of its name (docs/godice-protocol.md), a clock in a separate string. */
export const deviceFacts = ({ kind, address, name, firmware }: JsonObject): DeviceFacts => ({
  kind: String(kind),
  address: String(address),
  name: textOr(name),
  firmware: textOr(firmware) ?? /_(v\d+)$/.exec(String(name))?.[1] ?? null,
});

/** The devices of a scenario whose models are unknown: a connected clock reports its firmware to its server. */
export const devicesOfScenario = async (
  { urls }: Places,
  { dice, clocks }: Pick<Scenario, 'dice' | 'clocks'>,
): Promise<readonly DeviceFacts[]> => {
  const connected = clocks.map(async (clock): Promise<JsonObject> => {
    const answer = await jsonAt(urls.clock, `/api/devices/${clock.address}/firmware`);
    return { ...clock, ...(answer as JsonObject | undefined), kind: 'clock' };
  });
  return [
    ...dice.map((die): JsonObject => ({ ...die, kind: 'dice' })),
    ...(await Promise.all(connected)),
  ].map(deviceFacts);
};

const adapterLines = async ({ controlUrl, urls }: Places): Promise<string[]> => {
  const virtual = (await jsonAt(controlUrl, '/adapters')) as readonly JsonObject[] | undefined;
  if (virtual !== undefined && virtual.length > 0) {
    return virtual.map(({ id, address }) => `${String(id)} ${String(address)}, virtual`);
  }
  const states = await Promise.all(
    Object.entries(urls).map(async ([server, url]) => {
      const health = (await jsonAt(url, '/health')) as JsonObject | undefined;
      return health === undefined ? [] : [`of the ${server} server: ${String(health['adapter'])}`];
    }),
  );
  return states.flat();
};

/** The devices that the bench lists, or else the devices of the control API. */
const devicesOf = async (place: Places): Promise<readonly DeviceFacts[]> => {
  const { dice, clocks } = place;
  const listed = [
    ...dice.map((device): JsonObject => ({ kind: 'dice', ...device })),
    ...clocks.map((device): JsonObject => ({ kind: 'clock', ...device })),
  ];
  return (listed.length > 0 ? listed : await deviceModels(place)).map(deviceFacts);
};

/** The facts of a run on a bench. */
export const runFacts = async (profile: string, place: Places): Promise<RunFacts> => {
  const air = (await jsonAt(place.controlUrl, '/air')) as JsonObject | undefined;
  const seed = air?.['seed'];
  return {
    profile,
    station: place.station ?? hostname(),
    airbench: versionOf('package.json'),
    commit: await commit(),
    node: process.version,
    noble: versionOf('node_modules/@abandonware/noble/package.json'),
    bleno: versionOf('node_modules/@abandonware/bleno/package.json'),
    system: `${type()} ${release()} ${arch()}`,
    adapters: await adapterLines(place),
    devices: [...(await devicesOf(place))],
    seed: typeof seed === 'number' ? seed : null,
  };
};
