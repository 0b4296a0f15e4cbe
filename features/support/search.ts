/** The search for the devices that a bench lists, before the first scenario. */
import { messageOf } from '../../src/system/system-error.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import { MAKERS } from '../actors/makers.js';
import type { Bench } from '../bench/bench.js';
import { questioner, socketOptions } from '../clients/clients.js';
import type { DeviceFacts, ServerFacts } from '../report/facts.js';
import { deviceFacts, jsonAt, notMet } from './facts.js';

/** How long the search goes on for a device that does not advertise, milliseconds. */
const SEARCH_MS = 3000;

/** The shortest scan of a clock server, seconds. */
const SCAN_SECS = 1;

/** The devices at the server of one kind. */
interface Search {
  readonly server: ServerFacts;
  /** The devices of the bench file. */
  readonly listed: readonly JsonObject[];
  /** Lists connected devices, which do not advertise. */
  readonly path: string;
  /** Scans once, within `limit` milliseconds. Rejects if the server does not scan. */
  readonly scan: (limit: number) => Promise<readonly JsonObject[]>;
}

const ADDRESS = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/** The devices in an answer, an object or an address each. The interface documents do not state the form of every list. */
const devicesIn = (answer: unknown): readonly JsonObject[] => {
  if (typeof answer === 'string') return ADDRESS.test(answer) ? [{ address: answer }] : [];
  if (Array.isArray(answer)) return answer.flatMap(devicesIn);
  if (typeof answer !== 'object' || answer === null) return [];
  const hasAddress = 'address' in answer && typeof answer.address === 'string';
  return hasAddress ? [answer] : Object.values(answer).flatMap(devicesIn);
};

const diceSearch = ({ dice }: Bench, server: ServerFacts): Search => ({
  server,
  listed: dice.map((die) => ({ kind: MAKERS[die.maker ?? 'GoDice'], ...die })),
  path: '/api/sessions',
  scan: async (limit) => {
    // The interface document has a scan without parameters.
    const query = server.about === null ? '' : `?duration_secs=${SCAN_SECS}&detail=full`;
    const { status, text, json } = await questioner(server.url, limit).post(`/api/scan${query}`);
    if (status !== 200) throw new Error(`POST /api/scan was answered with ${status}: ${text}`);
    return devicesIn(json);
  },
});

const clockSearch = ({ clocks }: Bench, server: ServerFacts): Search => ({
  server,
  listed: clocks.map((clock) => ({ kind: 'clock', ...clock })),
  path: '/api/devices',
  scan: async (limit) => {
    const socket = `${server.url}/ws`;
    const client = await ClockClient.open(socket, socketOptions(socket, limit, []));
    try {
      const { result, error } = await client.send({ type: 'scan', duration_secs: SCAN_SECS });
      if (error != null) throw new Error(`the command "scan" was answered with the error: ${error}`);
      return devicesIn(result);
    } finally {
      client.close();
    }
  },
});

const addressOf = ({ address }: JsonObject): string => String(address).toUpperCase();

/** The battery in the advertisement of a clock. */
const batteryIn = ({ advertisement }: JsonObject): unknown =>
  typeof advertisement === 'object' && advertisement !== null && 'battery' in advertisement
    ? advertisement.battery
    : undefined;

interface Found {
  readonly devices: readonly DeviceFacts[];
  readonly findings: readonly string[];
}

const NONE: Found = { devices: [], findings: [] };

const run = async ({ server, listed, path, scan }: Search): Promise<Found> => {
  if (listed.length === 0) return NONE;
  const deadline = performance.now() + SEARCH_MS;
  const remaining = (): number => deadline - performance.now();
  const connected = devicesIn(await jsonAt(server.url, path));
  const seen = new Map(connected.map((device) => [addressOf(device), device]));
  const isSeen = (device: JsonObject): boolean => seen.has(addressOf(device));
  let trouble = '';
  try {
    while (!listed.every(isSeen) && remaining() > (SCAN_SECS * 1000) / 2) {
      const answer = await scan(Math.round(Math.max(remaining(), SCAN_SECS * 1000)) + 500);
      for (const device of answer) seen.set(addressOf(device), device);
    }
  } catch (error) {
    trouble = ` (${messageOf(error)})`;
  }
  const devices = listed.map((device): DeviceFacts => {
    const last = seen.get(addressOf(device));
    if (last === undefined) return notMet(device);
    const battery = last['battery_level'] ?? batteryIn(last);
    return deviceFacts({ ...device, battery, ...last, kind: device['kind'], address: device['address'] });
  });
  const findings = devices
    .filter(({ met }) => !met)
    .map(
      ({ kind, address, name }) =>
        `the ${server.name} at ${server.url} did not hear the ${kind === 'clock' ? 'clock' : 'die'} ${address}` +
        `${name === null ? '' : ` (${name})`} at the start${trouble}: wake it, or correct the bench file`,
    );
  return { devices, findings };
};

/** Searches at both servers at once. A device that is not met is a finding. */
export const searchDevices = async (bench: Bench, servers: readonly ServerFacts[]): Promise<Found> => {
  const results = await Promise.all(
    servers.map(async (server) => {
      if (server.name === 'dice server') return run(diceSearch(bench, server));
      return server.name === 'clock server' ? run(clockSearch(bench, server)) : NONE;
    }),
  );
  return {
    devices: results.flatMap(({ devices }) => devices),
    findings: results.flatMap(({ findings }) => findings),
  };
};
