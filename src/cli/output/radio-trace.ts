/** The work of a radio in the log at verbosity 3: operations, HCI packets, and messages of proxies. Tokens are masked. */
import type { Logger } from 'pino';
import { LONGEST_VALUE } from '../../ble/hci/att.js';
import { packetName } from '../../ble/hci/packets.js';
import type { Tap } from '../../ble/noble/index.js';
import { tokenIndex } from '../../protocols/cgd1/index.js';
import { addressText } from '../../protocols/esphome/identifiers.js';
import type { MessageTap } from '../../protocols/esphome/index.js';
import type { RadioTrace } from '../../metrics/radio.js';

const MASKED = '[masked]';

/** The limit of shown bytes: the longest value with the headers of its packet. */
const MOST_BYTES = LONGEST_VALUE + 12;

const ADDRESS_BITS = 48n;

/**
 * Hex digits, without the token of a clock at the end. A token is never in two packets: the write of it has 25 octets
 * with all headers, and a controller takes 27 at least (Core 5.4 Vol 4 Part E 7.8.2).
 */
const hexOf = (bytes: Uint8Array): string => {
  const token = tokenIndex(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const hex = Buffer.from(bytes.subarray(0, Math.min(token ?? bytes.length, MOST_BYTES))).toString('hex');
  return hex + (token !== undefined ? MASKED : bytes.length > MOST_BYTES ? `… ${bytes.length} bytes` : '');
};

const shown = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return hexOf(value);
  if (typeof value === 'bigint')
    return value >> ADDRESS_BITS === 0n ? addressText(value) : value.toString(16).padStart(16, '0');
  if (Array.isArray(value)) return value.map(shown);
  return typeof value === 'object' && value !== null ? shownFields(value) : value;
};

/** Leaves out the names of types, which the library of messages adds. */
const shownFields = (fields: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([key]) => !key.startsWith('$'))
      .map(([key, value]) => [key, key === 'password' ? MASKED : shown(value)]),
  );

interface RadioTracer {
  readonly packets: Tap;
  /** The tap for messages of a proxy, or of the clients of one. */
  readonly messagesOf: (side: string) => MessageTap;
  readonly operation: RadioTrace;
}

export const radioTrace = (log: Logger): RadioTracer => {
  const isOn = (): boolean => log.isLevelEnabled('trace');
  const packet = (direction: string) => (bytes: Buffer) => {
    if (isOn()) log.trace({ direction, packet: packetName(bytes), bytes: hexOf(bytes) }, 'HCI');
  };
  return {
    packets: { sent: packet('sent'), received: packet('received') },
    messagesOf: (side) => (direction, name, message) => {
      if (isOn()) log.trace({ side, direction, message: name, fields: shownFields(message) }, 'proxy');
    },
    operation: (operation, { address, characteristic, value }, result) => {
      if (!isOn()) return;
      // The value of a connection is a link, which has no text.
      const read = value instanceof Buffer || typeof value === 'number' ? shown(value) : undefined;
      log.trace(
        { operation, address, characteristic: characteristic?.padStart(4, '0'), value: read, result },
        'radio',
      );
    },
  };
};
