import * as t from 'io-ts';
import { AttOpcode } from '../../src/ble/hci/att.js';
import { commands } from '../../src/ble/hci/commands.js';
import { EventCode, LeSubevent } from '../../src/ble/hci/packets.js';
import type { PacketStage } from '../radio/index.js';

/** `LE Create Connection`, `leCreateConnection` and `le_create_connection` are the same. */
const plain = (name: string): string => name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();

const namesOf = (numbers: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(numbers).map(([name, number]) => [plain(name), number]));

const mapped = <A>(
  from: Readonly<Record<string, A>>,
  change: (value: A) => number,
): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]));

/** An LE event is known by its subevent behind the code that they all have. */
const leEvents = mapped<number>(LeSubevent, (subevent) => (EventCode.leMeta << 8) | subevent);

const opcodeOf = (kind: string, numbers: Readonly<Record<string, number>>): t.Type<number, string> => {
  const names = namesOf(numbers);
  const read = (value: unknown): number | undefined => {
    if (typeof value === 'number')
      return Number.isInteger(value) && value >= 0 && value <= 0xffff ? value : undefined;
    if (typeof value !== 'string') return undefined;
    return /^0x[0-9a-f]{1,4}$/i.test(value) ? Number(value) : names.get(plain(value));
  };
  return new t.Type(
    `the name of ${kind} or its number (0 to 65535, or hex such as "0x0C03")`,
    t.number.is,
    (value, context) => {
      const number = read(value);
      return number === undefined ? t.failure(value, context) : t.success(number);
    },
    opcodeText,
  );
};

/** As specifications print it: `0x2006`. */
export const opcodeText = (opcode: number): string =>
  `0x${opcode
    .toString(16)
    .toUpperCase()
    .padStart(opcode > 0xff ? 4 : 2, '0')}`;

const att = opcodeOf('an ATT PDU such as "Write Request"', AttOpcode);

/** What a stage's packets are told apart by. */
export const opcodes: Readonly<Record<PacketStage, t.Type<number, string>>> = {
  command: opcodeOf(
    'an HCI command such as "LE Create Connection"',
    mapped(commands, ({ opcode }: { opcode: number }) => opcode),
  ),
  event: opcodeOf('an HCI event such as "Disconnection Complete"', { ...EventCode, ...leEvents }),
  acl_from_host: att,
  acl_to_host: att,
};
