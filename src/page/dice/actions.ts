/** The actions of people on dice: each asks the server, and shows why it failed. */
import * as E from 'fp-ts/lib/Either.js';
import { endpoints, type AnyDiceType, type DiscoveredDevice } from '../../dice/contract.js';
import type { Led, Rgb } from '../../protocols/dice-values.js';
import { detached } from '../../async/defects.js';
import { call, failureOf, together, type Outcome } from '../common/api.js';
import { openSearch, ROUND_SECS } from '../common/search.js';
import { server } from './server.js';
import { change, dice, shells, without } from './state.js';

export const search = openSearch({
  listen: () => call(endpoints.scan, { query: { duration_secs: ROUND_SECS, detail: 'full' } }),
  connected: () => [...dice.value.values()].map(({ address }) => address),
});

/** Its own, if the die tells it; else the one that was chosen for it, or the one that the server takes if none was. */
export const shellOfFound = ({ address, dice_type }: DiscoveredDevice): AnyDiceType =>
  dice_type ?? shells.value.get(address) ?? 'd6';

/** The type is sent only if somebody chose it: most dice know their own. */
export const connect = async ({ address, dice_type }: DiscoveredDevice): Outcome => {
  const chosen = shells.value.get(address);
  const isTold = typeof dice_type !== 'string' && chosen !== undefined;
  const body = isTold ? { address, dice_type: chosen } : { address };
  const outcome = await call(endpoints.connect, { body });
  await server.refresh();
  return failureOf(outcome);
};

export const connectAll = (): Outcome => together(search.found.value.map(connect));

export const disconnect = async (session_id: string): Outcome => {
  const outcome = await call(endpoints.disconnect, { body: { session_id } });
  if (E.isRight(outcome)) dice.value = without(dice.value, session_id);
  return failureOf(outcome);
};

/** The colour of a colour input, `#rrggbb`, as the contract has it. */
const rgbOf = (hex: string): Rgb => {
  const bits = Number.parseInt(hex.slice(1), 16);
  return { r: bits >> 16, g: (bits >> 8) & 0xff, b: bits & 0xff };
};

/** An LED that is off. */
export const DARK = '#000000';

export const light = async (session_id: string, which: readonly Led[], hex: string): Outcome => {
  const colours = Object.fromEntries(which.map((led) => [led, rgbOf(hex)]));
  const outcome = await call(endpoints.led, { body: { ...colours, session_id } });
  if (E.isRight(outcome)) {
    const { led1, led2 } = outcome.right;
    change(session_id, { leds: { led1, led2 } });
    // A list that is under way may be older.
    detached(server.refresh());
  }
  return failureOf(outcome);
};

const PULSE = { count: 5, on_ms: 300, off_ms: 200 } as const;

export const pulse = async (session_id: string, hex: string): Outcome =>
  failureOf(await call(endpoints.pulse, { body: { session_id, ...PULSE, color: rgbOf(hex) } }));

export const watchTaps = async (session_id: string, are: boolean): Outcome => {
  const outcome = await call(endpoints.taps, { body: { session_id, single: are, double: are } });
  if (E.isRight(outcome)) {
    const { single, double } = outcome.right;
    change(session_id, { taps: { single, double } });
    detached(server.refresh());
  }
  return failureOf(outcome);
};

export const readBattery = async (session_id: string): Outcome => {
  const outcome = await call(endpoints.battery, { params: { session_id } });
  if (E.isRight(outcome)) change(session_id, { battery_level: outcome.right.battery_level });
  return failureOf(outcome);
};

export const calibrate = async (session_id: string): Outcome => {
  const outcome = await call(endpoints.calibrate, { body: { session_id } });
  if (E.isRight(outcome)) change(session_id, { face: outcome.right.face });
  return failureOf(outcome);
};
