/** The actions of people on dice: requests to the server, with the failure of each. */
import {
  DiceType,
  endpoints,
  simulatedEndpoints,
  type AnyDiceType,
  type DetailedStatus,
  type DieChange,
  type DiscoveredDevice,
} from '../../dice/contract.js';
import type { Led, Rgb } from '../../protocols/dice-values.js';
import { detached } from '../../async/defects.js';
import { after, call, failureOf, together, type Outcome } from '../common/api.js';
import { put, without } from '../common/maps.js';
import { openSearch, ROUND_SECS } from '../common/search.js';
import { dropEarlier } from './history.js';
import { server } from './server.js';
import { addresses, change, dice, dropRecord, records, shells } from './state.js';
import { recount } from './statistics.js';

export const search = openSearch({
  listen: () => call(endpoints.scan, { query: { duration_secs: ROUND_SECS, detail: 'full' } }),
  connected: () => [...dice.value.keys()],
});

/** A die that may be connected. */
export type Connectable = Pick<DiscoveredDevice, 'address' | 'dice_type'>;

/** The advertised type of a die; otherwise the chosen shell, the last one, or the default of the server. */
export const shellOfFound = ({ address, dice_type }: Connectable): AnyDiceType =>
  dice_type ?? shells.value[address] ?? records.value.get(address)?.dice_type ?? 'd6';

/** Connects a die; sends a type only if the die advertises no type and its shell is known. */
export const connect = async ({ address, dice_type }: Connectable, signal: AbortSignal): Outcome => {
  const shell = shells.value[address] ?? records.value.get(address)?.dice_type;
  const needsType = typeof dice_type !== 'string' && DiceType.is(shell);
  const body = needsType ? { address, dice_type: shell } : { address };
  const outcome = await call(endpoints.connect, { body }, signal);
  await server.refresh();
  return failureOf(outcome);
};

/** Rolls a simulated die, which may be out of reach. */
export const roll = (address: string, signal?: AbortSignal): Outcome =>
  after(call(simulatedEndpoints.roll, { params: { address }, body: {} }, signal));

/** Connects a simulated die if it has no session, and rolls it. */
export const connectAndRoll = async (die: Connectable, signal: AbortSignal): Outcome =>
  (dice.value.has(die.address) ? null : await connect(die, signal)) ?? roll(die.address, signal);

/** Rolls all dice of the page that are in reach; without one, all discovered ones. */
export const rollAll = (signal: AbortSignal): Outcome => {
  const { value: found } = search.found;
  const remembered = found.filter(({ address }) => addresses.value.includes(address));
  const inReach: readonly Connectable[] = [...dice.value.values(), ...remembered];
  return together((inReach.length > 0 ? inReach : found).map((die) => connectAndRoll(die, signal)));
};

export const disconnect = ({ session_id, address }: DetailedStatus): Outcome =>
  after(call(endpoints.disconnect, { body: { session_id } }), () => {
    dice.value = without(dice.value, address);
  });

/** The value of a colour input, `#rrggbb`, as a colour of the contract. */
const rgbOf = (hex: string): Rgb => {
  const bits = Number.parseInt(hex.slice(1), 16);
  return { r: bits >> 16, g: (bits >> 8) & 0xff, b: bits & 0xff };
};

/** An LED that is off. */
export const DARK = '#000000';

/** Shows a change at once, and reads the dice again: a list that the server is sending may be older. */
const show = (address: string, changed: Partial<DetailedStatus>): void => {
  change(address, changed);
  detached(server.refresh());
};

export const light = (
  { session_id, address }: DetailedStatus,
  which: readonly Led[],
  hex: string,
): Outcome => {
  const colours = Object.fromEntries(which.map((led) => [led, rgbOf(hex)]));
  return after(call(endpoints.led, { body: { ...colours, session_id } }), ({ led1, led2 }) =>
    show(address, { leds: { led1, led2 } }),
  );
};

const PULSE = { count: 5, on_ms: 300, off_ms: 200 } as const;

export const pulse = ({ session_id }: DetailedStatus, hex: string): Outcome =>
  after(call(endpoints.pulse, { body: { session_id, ...PULSE, color: rgbOf(hex) } }));

export const watchTaps = (
  { session_id, address }: DetailedStatus,
  which: 'single' | 'double',
  are: boolean,
): Outcome =>
  after(call(endpoints.taps, { body: { session_id, [which]: are } }), ({ single, double }) =>
    show(address, { taps: { single, double } }),
  );

export const readBattery = ({ session_id, address }: DetailedStatus): Outcome =>
  after(call(endpoints.battery, { params: { session_id } }), ({ battery_level }) =>
    change(address, { battery_level }),
  );

export const calibrate = ({ session_id, address }: DetailedStatus): Outcome =>
  after(call(endpoints.calibrate, { body: { session_id } }), ({ face }) => change(address, { face }));

/** Changes the record of a die. */
export const setDie = async (address: string, body: DieChange): Outcome => {
  const outcome = await after(call(endpoints.setDie, { params: { address }, body }), (record) => {
    records.value = put(records.value, address, record);
    if (body.dice_type !== undefined) shells.value = { ...shells.value, [address]: body.dice_type };
    change(address, { label: record.label });
  });
  await server.refresh();
  return outcome;
};

export const forget = (address: string): Outcome =>
  after(call(endpoints.forgetDie, { params: { address } }), () => {
    dropRecord(address);
    dropEarlier(address);
    recount([address]);
    detached(server.refresh());
  });
