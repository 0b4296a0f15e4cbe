import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { rows } from '../../support/rows.js';
import {
  COMMAND_TAGS,
  channelOf,
  decodeCommand,
  encodeCommand,
  isAckOf,
  opcodeOf,
  type Channel,
  type Command,
} from '../../../src/protocols/cgd1/index.js';
import { itRefuses, itTakesAnyBytes, valueOf } from '../../support/codec-cases.js';
import { bytes } from '../../support/hci-host.js';

const token = '00112233445566778899AABBCCDDEEFF';
const record = '03580201780FA51600070001010001020304';
const block = '7F'.repeat(128);

// 0x65920080 is 2024-01-01T00:00:00Z.
const golden = rows(
  4,
  `
  the first step of authentication                 | auth | 11 01 ${token} | AuthInit { token: "x${token}" }
  the second step                                  | auth | 11 02 ${token} | AuthConfirm { token: "x${token}" }
  a time                                           | auth | 05 09 80 00 92 65 | SetTime { seconds: 1704067200 }
  the last possible time                           | auth | 05 09 FF FF FF FF | SetTime { seconds: 4294967295 }
  the request for the firmware                     | auth | 01 0D | ReadFirmware
  the request for the settings                     | data | 01 02 | ReadSettings
  settings                                         | data | 13 01 ${record} | WriteSettings { record: "x${record}" }
  darkness                                         | data | 02 03 00 | SetBrightness { brightness: 0 }
  brightness                                       | data | 02 03 0A | SetBrightness { brightness: 100 }
  a preview                                        | data | 01 04 | PreviewRingtone { volume: null }
  a preview of volume 5                            | data | 02 04 05 | PreviewRingtone { volume: 5 }
  the request for the alarms                       | data | 01 06 | ReadAlarms
  an alarm at 07:30, Monday to Friday              | data | 07 05 03 01 07 1E 1F 00 | SetAlarm { slot: 3, alarm: { enabled: true, hour: 7, minute: 30, days: 31, snooze: false } }
  an alarm that is off, once, with snooze, in the last slot | data | 07 05 0F 00 17 3B 00 01 | SetAlarm { slot: 15, alarm: { enabled: false, hour: 23, minute: 59, days: 0, snooze: true } }
  an alarm deleted                                 | data | 07 05 00 FF FF FF FF FF | DeleteAlarm { slot: 0 }
  the start of an upload                           | data | 08 10 00 80 01 DE AD DE AD | AudioInit { size: 98304, signature: "deaddead" }
  the start of another upload, least significant byte first | data | 08 10 03 02 01 BE EF BE EF | AudioInit { size: 66051, signature: "beefbeef" }
  a block of audio                                 | data | 81 08 ${block} | AudioBlock { data: "x${block}" }
`,
).map(([name, channel, hex, cell]) => [name, channel as Channel, hex, valueOf(cell) as Command] as const);

const refused = rows(
  4,
  `
  nothing                                   | auth |                                              | a frame must have at least 2 bytes, got (empty)
  a length alone                            | auth | 00                                           | a frame must have at least 2 bytes, got 00
  a frame cut short                         | auth | 05 09 80 00                                  | a frame that begins with 5 must have 6 bytes, got 4
  a frame with more behind it               | data | 01 06 00                                     | a frame that begins with 1 must have 2 bytes, got 3
  an unknown opcode                         | data | 01 0E                                        | no data command has the opcode 0E
  a command of the other channel            | auth | 01 06                                        | no auth command has the opcode 06
  half a token                              | auth | 09 01 00 11 22 33 44 55 66 77                | the authentication command 01 must have a payload of 16 bytes, got 8
  settings on the channel of authentication | auth | 13 01 03 58 02 01 78 0F A5 16 00 07 00 01 01 00 01 02 03 04 | the authentication command 01 must have a payload of 16 bytes, got 18
  a time of three bytes                     | auth | 04 09 80 00 92                               | the time command 09 must have a payload of 4 bytes, got 3
  two volumes                               | data | 03 04 01 02                                  | the preview command 04 must have a payload of 0 or 1 bytes, got 2
  slot 16                                   | data | 07 05 10 01 07 1E 1F 00                      | the alarm slot must be 0 to 15, got 16
  half past 24                              | data | 07 05 00 01 18 1E 1F 00                      | an alarm must be switch, hour, minute, days and snooze, got 01 18 1E 1F 00
  an eighth day                             | data | 07 05 00 01 07 1E 80 00                      | an alarm must be switch, hour, minute, days and snooze, got 01 07 1E 80 00
  a block of another size                   | data | 05 08 01 02 03 04                            | the audio block command 08 must have a payload of 128 bytes, got 4
  `,
);

describe('clock protocol: commands', () => {
  for (const [name, channel, hex, value] of golden) {
    it(`writes and reads ${name}`, () => {
      expect(encodeCommand(value)).to.deep.equal(bytes(hex));
      expect(channelOf(value)).to.equal(channel);
      expect(opcodeOf(value)).to.equal(bytes(hex)[1]);
      expect(decodeCommand(channel, bytes(hex))).to.deep.equal(E.right(value));
    });
  }

  it('lists each kind once', () => {
    expect(COMMAND_TAGS).to.have.members([...new Set(golden.map(([, , , { _tag }]) => _tag))]);
  });

  it('finds the commands that an ACK can be about, including reads', () => {
    const acked = (channel: Channel, opcode: number): readonly string[] =>
      COMMAND_TAGS.filter((tag) => isAckOf(tag, channel, { opcode }));
    expect(acked('data', 0x05)).to.deep.equal(['SetAlarm', 'DeleteAlarm']);
    expect(acked('auth', 0x09)).to.deep.equal(['SetTime']);
    expect(acked('auth', 0x0d)).to.deep.equal(['ReadFirmware']);
    expect(acked('data', 0x02)).to.deep.equal(['ReadSettings']);
    expect(acked('data', 0x09), 'on the other channel').to.deep.equal([]);
  });

  it('limits every field to its size', () => {
    expect(encodeCommand({ _tag: 'SetTime', seconds: -1 })).to.deep.equal(bytes('05 09 00 00 00 00'));
    expect(encodeCommand({ _tag: 'SetTime', seconds: 2 ** 33 })).to.deep.equal(bytes('05 09 FF FF FF FF'));
    expect(encodeCommand({ _tag: 'SetBrightness', brightness: 44 })).to.deep.equal(bytes('02 03 04'));
    expect(encodeCommand({ _tag: 'AudioInit', size: 1, signature: 'de' })).to.deep.equal(
      bytes('08 10 01 00 00 DE 00 00 00'),
    );
    expect(encodeCommand({ _tag: 'AudioBlock', data: Buffer.alloc(127) })).to.have.length(130);
    expect(encodeCommand({ _tag: 'AuthInit', token: Buffer.alloc(32) })).to.have.length(18);
  });

  it('never turns an invalid slot into a valid one', () => {
    expect(encodeCommand({ _tag: 'DeleteAlarm', slot: 16 })).to.deep.equal(bytes('07 05 10 FF FF FF FF FF'));
  });

  const codecOf = (channel: Channel) => ({
    encode: encodeCommand,
    decode: (packet: Buffer) => decodeCommand(channel, packet),
  });
  for (const [name, channel, hex, message] of refused)
    itRefuses(codecOf(channel as Channel), `${name} on the channel ${channel} | ${hex} | ${message}`);

  const likely = fc
    .tuple(fc.nat(0x10), fc.array(fc.nat(3), { maxLength: 18 }))
    .map(([opcode, payload]) => Buffer.from([payload.length + 1, opcode, ...payload]));
  for (const channel of ['auth', 'data'] as const) itTakesAnyBytes(codecOf(channel), likely);
});
