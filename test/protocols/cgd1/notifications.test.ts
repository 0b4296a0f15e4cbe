import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { rows } from '../../support/rows.js';
import {
  COMMAND_TAGS,
  ackOutcome,
  decodeNotification,
  encodeNotification,
  isAckOf,
  type Ack,
  type Channel,
  type Notification,
} from '../../../src/protocols/cgd1/index.js';
import { itRefuses, valueOf } from '../../support/codec-cases.js';
import { bytes } from '../../support/hci-host.js';

const ack = (opcode: number, x: number, y: number): Ack => ({ _tag: 'Ack', opcode, x, y });

const golden = rows(
  4,
  `
  an ACK that needs a next step   | auth | 04 FF 01 00 02 | Ack { opcode: 1, x: 0, y: 2 }
  the same of other firmware      | auth | 04 FF 01 00 06 | Ack { opcode: 1, x: 0, y: 6 }
  an ACK                          | auth | 04 FF 02 00 00 | Ack { opcode: 2, x: 0, y: 0 }
  an ACK of data                  | data | 04 FF 05 00 00 | Ack { opcode: 5, x: 0, y: 0 }
  an ACK of an upload             | data | 04 FF 10 00 09 | Ack { opcode: 16, x: 0, y: 9 }
  a refusal by both bytes         | auth | 04 FF 02 01 01 | Ack { opcode: 2, x: 1, y: 1 }
  the firmware behind its command | auth | 0B 0D 31 2E 30 2E 31 5F 30 31 33 30 | Firmware { version: "1.0.1_0130", second: 13 }
  the firmware behind its length  | auth | 0B 0A 31 2E 30 2E 31 5F 30 30 34 36 | Firmware { version: "1.0.1_0046", second: 10 }
  settings                        | data | 13 02 03 58 02 01 78 0F A5 16 00 07 00 01 01 00 01 02 03 04 | Settings { record: "x03580201780FA51600070001010001020304" }
  three alarms, one of them       | data | 11 06 03 FF FF FF FF FF 01 06 0F 60 01 FF FF FF FF FF | AlarmPacket { base: 3, alarms: [null, { enabled: true, hour: 6, minute: 15, days: 96, snooze: true }, null] }
  the last packet, with padding   | data | 11 06 0F 00 00 00 7F 00 FF FF FF FF FF FF FF FF FF FF | AlarmPacket { base: 15, alarms: [{ enabled: false, hour: 0, minute: 0, days: 127, snooze: false }, null, null] }
`,
).map(
  ([name, channel, hex, cell]) => [name, channel as Channel, hex, valueOf(cell) as Notification] as const,
);

const refused = rows(
  4,
  `
  nothing                                   | data |                                              | a frame must have at least 2 bytes, got (empty)
  an ACK cut short                          | data | 03 FF 05 00                                  | an ACK must have a payload of 3 bytes, got 2
  an unknown opcode                         | data | 01 07                                        | no data notification has the opcode 07
  settings on the channel of authentication | auth | 13 02 03 58 02 01 78 0F A5 16 00 07 00 01 01 00 01 02 03 04 | the firmware must begin with 0D or its length 12, got 02
  settings cut short                        | data | 03 02 03 58                                  | settings must have a payload of 18 bytes, got 2
  four alarms                               | data | 16 06 00 FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF | an alarm packet must have a payload of 16 bytes, got 21
  a firmware of control codes               | auth | 03 0D 01 02                                  | the firmware must be printable ASCII, got 01 02
  the firmware 07 31                       | auth | 03 0D 07 31 | the firmware must be printable ASCII, got 07 31
  the firmware 31 07                       | auth | 03 0D 31 07 | the firmware must be printable ASCII, got 31 07
  the firmware FF                          | auth | 02 0D FF | the firmware must be printable ASCII, got FF
  the firmware 31 7F 31                    | auth | 04 0D 31 7F 31 | the firmware must be printable ASCII, got 31 7F 31
  no firmware                               | auth | 01 0D                                        | the firmware must be printable ASCII, got (empty)
  a firmware of another length              | auth | 03 05 31 2E                                  | the firmware must begin with 0D or its length 02, got 05
  `,
);

const outcomes = rows(
  3,
  `
  01 | 00 02 | continue
  01 | 00 06 | continue
  02 | 00 00 | success
  10 | 00 09 | success
  02 | 00 01 | failure
  02 | 01 00 | failure
  02 | 01 01 | failure
  `,
);

describe('clock protocol: notifications', () => {
  for (const [name, channel, hex, value] of golden) {
    it(`writes and reads ${name}`, () => {
      expect(encodeNotification(value)).to.deep.equal(bytes(hex));
      expect(decodeNotification(channel, bytes(hex))).to.deep.equal(E.right(value));
    });
  }

  const codecOf = (channel: Channel) => ({
    encode: encodeNotification,
    decode: (packet: Buffer) => decodeNotification(channel, packet),
  });
  for (const [name, channel, hex, message] of refused)
    itRefuses(codecOf(channel as Channel), `${name} on the channel ${channel} | ${hex} | ${message}`);

  it('reads an entry without a time of day as an empty slot, and keeps the other entries', () => {
    const packet = bytes('11 06 00 01 19 00 7F 00 01 07 3C 7F 00 01 07 1E 7F 00');
    expect(decodeNotification('data', packet)).to.deep.equal(
      E.right({
        _tag: 'AlarmPacket',
        base: 0,
        alarms: [null, null, { enabled: true, hour: 7, minute: 30, days: 0x7f, snooze: false }],
      }),
    );
  });

  for (const [opcode, status, outcome] of outcomes) {
    it(`reads an ACK 04 FF ${opcode} ${status} as ${outcome}`, () => {
      const [x = NaN, y = NaN] = bytes(status);
      expect(ackOutcome(ack(parseInt(opcode, 16), x, y))).to.equal(outcome);
    });
  }

  it('finds the commands of an ACK by its channel', () => {
    const acked = (channel: Channel, opcode: number): readonly string[] =>
      COMMAND_TAGS.filter((tag) => isAckOf(tag, channel, ack(opcode, 0, 0)));
    expect(acked('auth', 0x01)).to.deep.equal(['AuthInit']);
    expect(acked('data', 0x01)).to.deep.equal(['WriteSettings']);
    expect(acked('data', 0x05)).to.deep.equal(['SetAlarm', 'DeleteAlarm']);
    expect(acked('data', 0x42)).to.deep.equal([]);
  });

  it('reads any bytes without throwing, and reads its own bytes back', () => {
    const opcode = fc.constantFrom(0x02, 0x06, 0x0d, 0xff);
    const likely = fc
      .tuple(opcode, fc.array(fc.nat(60), { maxLength: 20 }))
      .map(([first, payload]) => Buffer.from([payload.length + 1, first, ...payload]));
    const anything = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(fc.constantFrom<Channel>('auth', 'data'), fc.oneof(likely, anything), (channel, packet) => {
        const read = decodeNotification(channel, packet);
        if (E.isLeft(read)) return;
        const written = encodeNotification(read.right);
        expect(written).to.have.length(packet.length);
        expect(decodeNotification(channel, written)).to.deep.equal(read);
      }),
      { numRuns: 2000 },
    );
  });
});
