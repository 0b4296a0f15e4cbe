/** The state of a device in short texts and colours. */
import {
  ALL_DICE_TYPES,
  DICE_TYPES,
  type AnyDiceType,
  type DiceType,
} from '../../src/protocols/dice-values.js';
import type { Kind } from '../../src/contract/index.js';
import { written } from '../../src/page/common/outlines.js';
import { signal } from '@preact/signals';
import { isObject, isPlain } from './schema.js';
import { texts } from './texts.js';
import { adapterOf, type Device } from './state.js';

/** The chosen shells of dice without a known type, by address. */
export const shells = signal<ReadonlyMap<string, DiceType>>(new Map());

const shellOf = (address: string): DiceType => shells.value.get(address) ?? 'd6';

export const putInto = (address: string, shell: string): void => {
  const dieType = DICE_TYPES.find((type) => type === shell);
  if (dieType !== undefined) shells.value = new Map(shells.value).set(address, dieType);
};

/** Whether a die knows its type and needs no shell. */
export const knowsType = ({ model: { die } }: Device): boolean => typeof die === 'string';

/** The type of a die; undefined for another device. */
export const dieTypeOf = (device: Device): AnyDiceType | undefined => {
  const { die, faces } = device.model;
  if (knowsType(device)) return die === 'd6_pipped' ? 'd6' : ALL_DICE_TYPES.find((type) => type === die);
  return isObject(faces) ? shellOf(device.address) : undefined;
};

/** The text on the upper face; undefined for other devices and while the die rolls. */
export const faceUp = (device: Device): string | undefined => {
  const type = dieTypeOf(device);
  const { faces, face, rolling } = device.model;
  if (type === undefined || rolling === true) return undefined;
  return written(type, Number(isObject(faces) ? faces[type] : face));
};

/** The page of the server of a device; undefined: no server serves the device. */
export const pageOf = (device: Device): Kind | undefined => {
  if (dieTypeOf(device) !== undefined) return 'dice';
  return device.kind === 'clock' ? 'clock' : undefined;
};

export const nameOf = ({ name, kind }: Pick<Device, 'name' | 'kind'>): string =>
  name === '' ? texts.name(kind) : name;

/** The end of the address and the name, which together tell devices apart. */
export const labelOf = (device: Device): string => `${shortOf(device)} ${nameOf(device)}`;

/** The colours of all LEDs, in hex digits. */
export const ledsOf = ({ model: { leds } }: Device): readonly string[] =>
  Array.isArray(leds) ? leds.map(String) : [];

export const isLit = (color: string): boolean => color !== '000000';

/** The text on the mark of a device. */
export const markOf = (device: Device): string => {
  const { rolling, temperature, values } = device.model;
  if (rolling === true) return '…';
  const face = faceUp(device);
  if (face !== undefined) return face;
  if (typeof temperature === 'number') return `${Math.round(temperature)}°`;
  return isObject(values) ? device.name.slice(0, 2) : '';
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

/** The end of the address, which distinguishes neighbours. */
export const shortOf = ({ address }: Pick<Device, 'address'>): string => address.slice(-5);

const textOf = (value: string | number | boolean): string =>
  typeof value === 'boolean' ? (value ? texts.yes : texts.no) : String(value);

/** Fields that the page shows elsewhere. */
const ELSEWHERE = [
  'address',
  'kind',
  'name',
  'connected',
  'advertising',
  'rssi',
  'in_range',
  'color',
  'face',
  'rolling',
  'settings_hex',
];

/** The plain values of a device of any kind. */
export const readingsOf = ({ model }: Device): readonly (readonly [string, string])[] =>
  Object.entries(model).flatMap(([name, value]) =>
    isPlain(value) && !ELSEWHERE.includes(name) ? [[texts.name(name), textOf(value)] as const] : [],
  );
