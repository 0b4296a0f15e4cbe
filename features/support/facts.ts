/** Asks around for what the head of a report tells of a run. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname, release, type, arch } from 'node:os';
import { promisify } from 'node:util';
import type { DeviceFacts, RunFacts } from '../report/facts.js';
import type { JsonObject } from './clock-client.js';
import type { Bench } from './profile.js';

const versionOf = (manifest: string): string => {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return version;
};

const commit = async (): Promise<string | null> => {
  try {
    const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty']);
    return stdout.trim();
  } catch {
    return null;
  }
};

/** The JSON that a URL answers; undefined if it does not answer 200. */
export const jsonAt = async (url: string): Promise<unknown> => {
  try {
    const response = await fetch(url);
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
};

/** The models of all devices that the control API knows. */
export const deviceModels = async ({ controlUrl }: Bench): Promise<readonly JsonObject[]> => {
  const list = (await jsonAt(`${controlUrl}/devices`)) as readonly JsonObject[] | undefined;
  const models = (list ?? []).map(
    ({ address }) => jsonAt(`${controlUrl}/devices/${String(address)}`) as Promise<JsonObject | undefined>,
  );
  return (await Promise.all(models)).filter((model) => model !== undefined);
};

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A die tells its version at the end of its name (docs/godice-protocol.md), a clock as a string of its own. */
export const deviceFacts = ({ kind, address, name, firmware }: JsonObject): DeviceFacts => ({
  kind: String(kind),
  address: String(address),
  name: textOr(name),
  firmware: textOr(firmware) ?? /_(v\d+)$/.exec(String(name))?.[1] ?? null,
});

const adapterLines = async ({ controlUrl, diceUrl, clockUrl }: Bench): Promise<string[]> => {
  const listed = (await jsonAt(`${controlUrl}/adapters`)) as readonly JsonObject[] | undefined;
  if (listed !== undefined)
    return listed.map(({ id, address }) => `${String(id)} ${String(address)}, virtual`);
  const states = await Promise.all(
    Object.entries({ dice: diceUrl, clock: clockUrl }).map(async ([server, url]) => {
      const health = (await jsonAt(`${url}/health`)) as JsonObject | undefined;
      return health === undefined ? [] : [`of the ${server} server: ${String(health['adapter'])}`];
    }),
  );
  return states.flat();
};

/** What there is to say of a run that begins on this bench. */
export const runFacts = async (profile: string, bench: Bench): Promise<RunFacts> => {
  const air = (await jsonAt(`${bench.controlUrl}/air`)) as JsonObject | undefined;
  const seed = air?.['seed'];
  return {
    profile,
    station: hostname(),
    airbench: versionOf('package.json'),
    commit: await commit(),
    node: process.version,
    noble: versionOf('node_modules/@abandonware/noble/package.json'),
    bleno: versionOf('node_modules/@abandonware/bleno/package.json'),
    system: `${type()} ${release()} ${arch()}`,
    adapters: await adapterLines(bench),
    devices: (await deviceModels(bench)).map(deviceFacts),
    seed: typeof seed === 'number' ? seed : null,
  };
};
