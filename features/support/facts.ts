/** Collects the facts of a run for the head of a report. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { hostname, release, type, arch } from 'node:os';
import { promisify } from 'node:util';
import { commit, packageFile, version } from '../../src/system/package.js';
import { MAKERS } from '../actors/makers.js';
import type { DeviceFacts, RunFacts, ServerFacts } from '../report/facts.js';
import { questioner } from '../clients/clients.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import type { Bench } from '../bench/bench.js';
import type { Parameters } from './parameters.js';
import type { Scenario } from './scenario.js';

/** The parts of a bench that have evidence. */
export type Places = Pick<Bench, 'urls' | 'controlUrl' | 'log' | 'station' | 'operator' | 'dice' | 'clocks'>;

const describeCommit = async (): Promise<string | null> => {
  if (!existsSync(packageFile('.git'))) return commit;
  try {
    const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--abbrev=12', '--dirty'], {
      cwd: packageFile('.'),
    });
    return stdout.trim();
  } catch {
    return null;
  }
};

let described: Promise<string | null> | undefined;

/** The commit of the features: of the checkout, or of the packed package. A process runs git once, for all its runs. */
const testerCommit = (): Promise<string | null> => (described ??= describeCommit());

/** The JSON at a path of a server. Undefined without a server, or without an answer of 200 in time. */
export const jsonAt = async (server: string | undefined, path: string): Promise<unknown> => {
  if (server === undefined) return undefined;
  try {
    const { status, json } = await questioner(server).get(path);
    return status === 200 ? json : undefined;
  } catch {
    return undefined;
  }
};

/** Whether a server answers a request for this path in time, with any status. */
export const answersAt = (server: string, path: string): Promise<boolean> =>
  questioner(server)
    .get(path)
    .then(
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

const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const makerOf: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(MAKERS).map(([maker, kind]) => [kind, maker])),
  clock: 'Qingping',
};

/** A die that was met. It has its version at the end of its name (docs/godice-protocol.md), a clock in a separate string. */
export const deviceFacts = (device: JsonObject): DeviceFacts => ({
  kind: String(device['kind']),
  address: String(device['address']),
  name: textOr(device['name']),
  maker: textOr(device['maker']) ?? makerOf[String(device['kind'])] ?? null,
  firmware: textOr(device['firmware']) ?? /_(v\d+)$/.exec(String(device['name']))?.[1] ?? null,
  battery: numberOr(device['battery']),
  rssi: numberOr(device['rssi']),
  met: true,
});

/** A device that the bench lists. Nothing was seen of it. */
export const notMet = (device: JsonObject): DeviceFacts => ({
  ...deviceFacts(device),
  ...{ firmware: null, met: false },
});

/** The met devices of a scenario whose models are unknown: a connected clock reports its firmware to its server. */
export const devicesOfScenario = async (
  { urls }: Places,
  { dice, clocks }: Pick<Scenario, 'dice' | 'clocks'>,
): Promise<readonly DeviceFacts[]> => {
  const connected = clocks.map(async (clock): Promise<JsonObject | undefined> => {
    const answer = await jsonAt(urls.clock, `/api/devices/${clock.address}/firmware`);
    return answer === undefined ? undefined : { ...clock, ...(answer as JsonObject), kind: 'clock' };
  });
  return [...dice.filter(({ session }) => session !== undefined), ...(await Promise.all(connected))].flatMap(
    (device) => (device === undefined ? [] : [deviceFacts({ ...device })]),
  );
};

const adapterLines = async ({ controlUrl, urls }: Places): Promise<string[]> => {
  const virtual = (await jsonAt(controlUrl, '/adapters')) as readonly JsonObject[] | undefined;
  if (virtual !== undefined && virtual.length > 0) {
    return virtual.map(({ id, address }) => `${String(id)} ${String(address)}, virtual`);
  }
  const states = await Promise.all(
    Object.entries(urls).map(async ([server, url]) => {
      const health = (await jsonAt(url, '/health')) as JsonObject | undefined;
      return health === undefined ? [] : [`${server} server: ${String(health['adapter'])}`];
    }),
  );
  return states.flat();
};

/** The facts of a run on a bench with these servers. */
export const runFacts = async (
  { bench, profile, selection, continues }: Parameters,
  place: Places,
  servers: readonly ServerFacts[],
): Promise<RunFacts> => {
  const air = (await jsonAt(place.controlUrl, '/air')) as JsonObject | undefined;
  return {
    ...{ bench, profile, selection: [...selection] },
    ...(continues === undefined ? {} : { continues }),
    station: place.station ?? hostname(),
    operator: place.operator ?? null,
    tester: {
      airbench: version,
      commit: await testerCommit(),
      node: process.version,
      system: `${type()} ${release()} ${arch()}`,
    },
    servers: [...servers],
    adapters: await adapterLines(place),
    seed: numberOr(air?.['seed']),
  };
};
