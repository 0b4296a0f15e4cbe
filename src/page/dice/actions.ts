/** The actions of people on dice: requests to the server, with the failure of each. */
import { endpoints, type AnyDiceType, type DiscoveredDevice } from '../../dice/contract.js';
import type { Led, Rgb } from '../../protocols/dice-values.js';
import { detached } from '../../async/defects.js';
import { after, call, failureOf, together, type Outcome } from '../common/api.js';
import { openSearch, ROUND_SECS } from '../common/search.js';
import { server } from './server.js';
import { change, dice, shells, without } from './state.js';

export const search = openSearch({
  listen: () => call(endpoints.scan, { query: { duration_secs: ROUND_SECS, detail: 'full' } }),
  connected: () => [...dice.value.values()].map(({ address }) => address),
});

/** The advertised type of a die; otherwise the chosen shell, or the default of the server. */
export const shellOfFound = ({ address, dice_type }: DiscoveredDevice): AnyDiceType =>
  dice_type ?? shells.value.get(address) ?? 'd6';

/** Connects a die; sends a type only if the die advertises no type and a person has chosen a shell. */
export const connect = async ({ address, dice_type }: DiscoveredDevice): Outcome => {
  const chosen = shells.value.get(address);
  const needsType = typeof dice_type !== 'string' && chosen !== undefined;
  const body = needsType ? { address, dice_type: chosen } : { address };
  const outcome = await call(endpoints.connect, { body });
  await server.refresh();
  return failureOf(outcome);
};

export const connectAll = (): Outcome => together(search.found.value.map(connect));

export const disconnect = (session_id: string): Outcome =>
  after(call(endpoints.disconnect, { body: { session_id } }), () => {
    dice.value = without(dice.value, session_id);
  });

/** The value of a colour input, `#rrggbb`, as a colour of the contract. */
const rgbOf = (hex: string): Rgb => {
  const bits = Number.parseInt(hex.slice(1), 16);
  return { r: bits >> 16, g: (bits >> 8) & 0xff, b: bits & 0xff };
};

/** An LED that is off. */
export const DARK = '#000000';

export const light = (session_id: string, which: readonly Led[], hex: string): Outcome => {
  const colours = Object.fromEntries(which.map((led) => [led, rgbOf(hex)]));
  return after(call(endpoints.led, { body: { ...colours, session_id } }), ({ led1, led2 }) => {
    change(session_id, { leds: { led1, led2 } });
    // A list that the server is sending may be older.
    detached(server.refresh());
  });
};

const PULSE = { count: 5, on_ms: 300, off_ms: 200 } as const;

export const pulse = (session_id: string, hex: string): Outcome =>
  after(call(endpoints.pulse, { body: { session_id, ...PULSE, color: rgbOf(hex) } }));

export const watchTaps = (session_id: string, are: boolean): Outcome =>
  after(call(endpoints.taps, { body: { session_id, single: are, double: are } }), ({ single, double }) => {
    change(session_id, { taps: { single, double } });
    detached(server.refresh());
  });

export const readBattery = (session_id: string): Outcome =>
  after(call(endpoints.battery, { params: { session_id } }), ({ battery_level }) =>
    change(session_id, { battery_level }),
  );

export const calibrate = (session_id: string): Outcome =>
  after(call(endpoints.calibrate, { body: { session_id } }), ({ face }) => change(session_id, { face }));
