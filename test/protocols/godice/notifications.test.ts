import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import { decodeNotification, encodeNotification } from '../../../src/protocols/godice/index.js';
import { itRefuses, itTakesAnyBytes, itWritesAndReads } from '../../support/codec-cases.js';
import { bytes } from '../../support/hci-host.js';

const golden = `
  a roll that starts          | 52             | RollStart
  rest                        | 53 00 40 FE    | Stable { acceleration: { x: 0, y: 64, z: -2 } }
  rest at both ends of a byte | 53 80 7F FF    | Stable { acceleration: { x: -128, y: 127, z: -1 } }
  a fake roll                 | 46 53 C0 00 EA | FakeStable { acceleration: { x: -64, y: 0, z: -22 } }
  rest, leaning               | 54 53 2A D6 28 | TiltStable { acceleration: { x: 42, y: -42, z: 40 } }
  rest after a small move     | 4D 53 14 C4 EC | MoveStable { acceleration: { x: 20, y: -60, z: -20 } }
  an empty battery            | 42 61 74 00    | Battery { level: 0 }
  a battery of 53 %           | 42 61 74 35    | Battery { level: 53 }
  a full battery              | 42 61 74 64    | Battery { level: 100 }
  black                       | 43 6F 6C 00    | Colour { colour: "black" }
  red                         | 43 6F 6C 01    | Colour { colour: "red" }
  green                       | 43 6F 6C 02    | Colour { colour: "green" }
  blue                        | 43 6F 6C 03    | Colour { colour: "blue" }
  yellow                      | 43 6F 6C 04    | Colour { colour: "yellow" }
  orange                      | 43 6F 6C 05    | Colour { colour: "orange" }
  the charger left            | 43 68 61 72 00 | Charging { on: false }
  the charger found           | 43 68 61 72 01 | Charging { on: true }
  a tap                       | 54 61 70       | Tap
  a double tap                | 44 54 61 70    | DoubleTap
  an answer to calibrate      | 43 61 6C 07    | Calibration { status: 7 }
`;

const refused = `
  nothing                          | -              | no notification begins like (empty)
  a roll start with more behind it | 52 00          | a notification R must have 1 byte, got 2
  rest cut short                   | 53 00 40       | a notification S must have 4 bytes, got 3
  rest too long                    | 53 00 40 FE 00 | a notification S must have 4 bytes, got 5
  leaning cut short                | 54 53 00 40    | a notification TS must have 5 bytes, got 4
  only the T of two kinds          | 54             | no notification begins like 54
  only the C of three kinds        | 43             | no notification begins like 43
  an unknown kind of rest          | 58 53 00 40 FE | no notification begins like 58 53 00 40 FE
  a tap with more behind it        | 54 61 70 01    | a notification Tap must have 3 bytes, got 4
  half a double tap                | 44 54 61       | no notification begins like 44 54 61
  a battery without a level        | 42 61 74       | a notification Bat must have 4 bytes, got 3
  a battery of 101 %               | 42 61 74 65    | the battery level must be 0 to 100, got 101
  a seventh colour                 | 43 6F 6C 06    | the colour code must be 0 to 5, got 6
  half charging                    | 43 68 61 72 02 | the charging state must be 0 or 1, got 2
  charging without a state         | 43 68 61 72    | a notification Char must have 5 bytes, got 4
`;

describe('dice protocol: notifications', () => {
  const codec = { encode: encodeNotification, decode: decodeNotification };
  itWritesAndReads(codec, golden);
  itRefuses(codec, refused);
  const tag = fc.constantFrom('R', 'S', 'FS', 'TS', 'MS', 'Bat', 'Col', 'Char', 'Tap', 'DTap', 'Cal');
  const likely = fc
    .tuple(tag, fc.array(fc.nat(120), { maxLength: 5 }))
    .map(([text, rest]) => Buffer.concat([Buffer.from(text), Buffer.from(rest)]));
  itTakesAnyBytes(codec, likely);

  it('limits a vector to signed bytes and a level to 100', () => {
    expect(encodeNotification({ _tag: 'Stable', acceleration: { x: 130, y: -129, z: 0.4 } })).to.deep.equal(
      bytes('53 7F 80 00'),
    );
    expect(encodeNotification({ _tag: 'Battery', level: 140 })).to.deep.equal(bytes('42 61 74 64'));
  });
});
