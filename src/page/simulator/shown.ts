/** What of a device is shown at a glance. */
import { DICE_TYPES, type DiceType } from '../../dice/port/values.js';
import { signal } from '@preact/signals';
import { isObject, isPlain } from './schema.js';
import { texts } from './texts.js';
import { adapterOf, type Device } from './state.js';

/** In which shell each die is thought to be: it does not know itself. */
export const shells = signal<ReadonlyMap<string, DiceType>>(new Map());

export const shellOf = (address: string): DiceType => shells.value.get(address) ?? 'd6';

export const putInto = (address: string, shell: string): void => {
  const known = DICE_TYPES.find((one) => one === shell);
  if (known !== undefined) shells.value = new Map(shells.value).set(address, known);
};

/** Undefined: it is no die, or it rolls. */
export const faceUp = ({ address, model }: Device): number | undefined => {
  const { faces, rolling } = model;
  if (!isObject(faces) || rolling === true) return undefined;
  return Number(faces[shellOf(address)]);
};

/** What is written on its mark. */
export const markOf = (device: Device): string => {
  const { rolling, temperature } = device.model;
  if (rolling === true) return '…';
  const face = faceUp(device);
  if (face !== undefined) return String(face);
  return typeof temperature === 'number' ? `${Math.round(temperature)}°` : '';
};

export const colourOf = ({ model: { color } }: Device): string =>
  typeof color === 'string' ? `shell ${color}` : '';

export const signalOf = ({ rssi, in_range }: Device): string =>
  in_range === false ? texts.outOfRange : texts.dbm(rssi);

export const stateOf = ({ address, connected, advertising }: Device): string => {
  if (!connected) return advertising ? texts.advertising : texts.silent;
  const adapter = adapterOf(address);
  return adapter === undefined ? texts.connectedOnly : texts.connected(adapter.id);
};

/** Enough to tell it from its neighbours. */
export const shortOf = ({ address }: Pick<Device, 'address'>): string => address.slice(-5);

const textOf = (value: string | number | boolean): string =>
  typeof value === 'boolean' ? (value ? texts.yes : texts.no) : String(value);

/** What every device shows elsewhere. */
const ELSEWHERE = [
  'address',
  'kind',
  'name',
  'connected',
  'advertising',
  'rssi',
  'in_range',
  'color',
  'rolling',
  'settings_hex',
];

/** The plain values of a device, whatever its kind. */
export const readingsOf = ({ model }: Device): readonly (readonly [string, string])[] =>
  Object.entries(model).flatMap(([name, value]) =>
    isPlain(value) && !ELSEWHERE.includes(name) ? [[texts.name(name), textOf(value)] as const] : [],
  );
