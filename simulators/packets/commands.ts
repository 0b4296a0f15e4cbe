import { commandName, commands } from '../../src/ble/hci/commands.js';
import { hexNumber } from '../../src/bytes/index.js';
import { opcodeText } from './names.js';
import type { Words } from './packet.js';
import { line, numberOf, partsOf, shortBytes, valueText, valuesOf, type Values } from './parts.js';

/** Fields that a summary names, and how. */
const shownKeys: readonly (readonly [key: string, name: string])[] = [
  ['handle', 'handle'],
  ['peerAddress', 'peer'],
  ['address', 'address'],
  ['enable', 'enable'],
  ['reason', 'reason'],
  ['count', 'count'],
];

/** Bytes of which nothing is known. */
export const UNKNOWN = 'parameters';

const gistOf = (key: string, value: unknown): readonly string[] => {
  if (key === UNKNOWN && Buffer.isBuffer(value)) return [shortBytes(value)];
  return shownKeys.flatMap(([wanted, name]) => (key === wanted ? [`${name} ${valueText(key, value)}`] : []));
};

/** What a summary says of fields. */
export const gist = (values: Values): string => line(...values.flatMap(([key, value]) => gistOf(key, value)));

export interface Told {
  readonly words: Words;
  readonly handle?: number | undefined;
  /** The address of the other side. */
  readonly peer?: string | undefined;
}

/** No device has it: it stands where a command needs no address. */
const NO_ADDRESS = '00:00:00:00:00:00';

export const peerIn = (values: Values): string | undefined => {
  const [, address] = values.find(([key]) => key === 'peerAddress') ?? [];
  return typeof address === 'string' && address !== NO_ADDRESS ? address : undefined;
};

/** @throws RangeError if it is cut short. */
export const tellCommand = (body: Buffer): Told => {
  const opcode = body.readUInt16LE(0);
  const name = commandName(opcode);
  const values = valuesOf(
    name === undefined ? undefined : commands[name].parameters,
    body.subarray(3),
    UNKNOWN,
  );
  const peer = peerIn(values);
  const shown = peer === undefined ? values.filter(([key]) => key !== 'peerAddress') : values;
  return {
    words: {
      protocol: 'hci_command',
      summary: line(opcodeText(opcode), gist(shown)),
      parts: [{ name: 'Opcode', value: hexNumber(opcode, 4) }, ...partsOf(values)],
    },
    handle: numberOf(values, 'handle'),
    peer,
  };
};
