import { commandName, commands } from '../../src/ble/hci/commands.js';
import { hexNumber, shortBytes, u16 } from '../../src/bytes/index.js';
import { opcodeText } from './names.js';
import type { Words } from './packet.js';
import { line, numberOf, partsOf, valueText, valuesOf, type Values } from './parts.js';

/** The fields of a summary, with their names in it. */
const shown: Readonly<Record<string, string>> = {
  handle: 'handle',
  peerAddress: 'peer',
  peerIdentityAddress: 'peer',
  localResolvableAddress: 'own private address',
  peerResolvableAddress: 'private address of the peer',
  address: 'address',
  enable: 'enable',
  reason: 'reason',
  count: 'count',
};

/** The key of bytes without a known layout. */
export const UNKNOWN = 'parameters';

const gistOf = (key: string, value: unknown): string => {
  if (key === UNKNOWN && Buffer.isBuffer(value)) return shortBytes(value);
  const name = shown[key];
  return name === undefined ? '' : `${name} ${valueText(key, value)}`;
};

/** The address of no device, which stands where a packet needs no address. */
const NO_ADDRESS = '00:00:00:00:00:00';

/** The fields of a summary, in a line. */
export const gist = (values: Values): string =>
  line(...values.map(([key, value]) => (value === NO_ADDRESS ? '' : gistOf(key, value))));

export interface Decoded {
  readonly words: Words;
  readonly handle?: number | undefined;
  /** The address of the other side. */
  readonly peer?: string | undefined;
}

export const peerIn = (values: Values): string | undefined => {
  const [, address] = values.find(([key]) => key === 'peerAddress' || key === 'peerIdentityAddress') ?? [];
  return typeof address === 'string' && address !== NO_ADDRESS ? address : undefined;
};

/** A command in words. @throws ShortPacket if the command is cut short. */
export const describeCommand = (body: Buffer): Decoded => {
  const opcode = u16.read(body, 0);
  const name = commandName(opcode);
  const values = valuesOf(
    name === undefined ? undefined : commands[name].parameters,
    body.subarray(3),
    UNKNOWN,
  );
  return {
    words: {
      protocol: 'hci_command',
      summary: line(opcodeText(opcode), gist(values)),
      parts: [{ name: 'Opcode', value: hexNumber(opcode, 4) }, ...partsOf(values)],
    },
    handle: numberOf(values, 'handle'),
    peer: peerIn(values),
  };
};
