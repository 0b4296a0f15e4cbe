import { hexNumber } from '../../src/bytes/index.js';
import * as t from 'io-ts';
import { described, type Codec } from '../../src/codecs/index.js';
import { AttOpcode } from '../../src/ble/hci/att.js';
import { commands } from '../../src/ble/hci/commands.js';
import { EventCode, LeSubevent } from '../../src/ble/hci/packets.js';
import type { PacketStage } from '../radio/index.js';

/** `LE Create Connection`, `leCreateConnection` and `le_create_connection` are the same. */
const plain = (name: string): string => name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();

const namesOf = (numbers: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(numbers).map(([name, number]) => [plain(name), number]));

/** All LE events have one code, so each is found by its subevent; its name is accepted with and without "LE". */
const leEvents = Object.fromEntries(
  Object.entries(LeSubevent).flatMap(([name, subevent]) =>
    [name, `le ${name}`].map((either) => [either, (EventCode.leMeta << 8) | subevent]),
  ),
);

interface Numbers {
  readonly numbers: Readonly<Record<string, number>>;
  readonly max: number;
  /** In hex. */
  readonly example: string;
}

const opcodeOf = (title: string, kind: string, { numbers, max, example }: Numbers): Codec<number, string> => {
  const names = namesOf(numbers);
  const read = (value: unknown): number | undefined => {
    const number = typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? Number(value) : value;
    if (typeof number === 'number') {
      return Number.isInteger(number) && number >= 0 && number <= max ? number : undefined;
    }
    return typeof value === 'string' ? names.get(plain(value)) : undefined;
  };
  const allowed = `the name of ${kind} or its number (0 to ${max}, or hex such as "${example}")`;
  return described(
    new t.Type<number, string>(
      allowed,
      t.number.is,
      (value, context) => {
        const number = read(value);
        return number === undefined ? t.failure(value, context) : t.success(number);
      },
      opcodeText,
    ),
    {
      title,
      description: allowed,
      anyOf: [{ type: 'integer', minimum: 0, maximum: max }, { type: 'string' }],
    },
    { title, description: `Of ${kind}`, type: 'string', pattern: '^0x[0-9A-F]+$' },
  );
};

/** The notation of specifications: `0x2006`. */
export const opcodeText = (opcode: number): string => hexNumber(opcode, opcode > 0xff ? 4 : 2);

const att = opcodeOf('AttOpcode', 'an ATT PDU such as "Write Request"', {
  numbers: AttOpcode,
  max: 0xff,
  example: '0x12',
});

export const opcodes: Readonly<Record<PacketStage, Codec<number, string>>> = {
  command: opcodeOf('CommandOpcode', 'an HCI command such as "LE Create Connection"', {
    numbers: Object.fromEntries(Object.entries(commands).map(([name, { opcode }]) => [name, opcode])),
    max: 0xffff,
    example: '0x0C03',
  }),
  event: opcodeOf('EventOpcode', 'an HCI event such as "Disconnection Complete"', {
    numbers: { ...EventCode, ...leEvents },
    max: 0xffff,
    example: '0x3E02',
  }),
  acl_from_host: att,
  acl_to_host: att,
};
