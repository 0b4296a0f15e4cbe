import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import {
  DEFAULT_DETECTION,
  DEFAULT_INITIALISE,
  decodeCommand,
  encodeCommand,
} from '../../../src/protocols/godice/index.js';
import { itRefuses, itTakesAnyBytes, itWritesAndReads } from '../../support/codec-cases.js';
import { bytes } from '../../support/hci-host.js';

const golden = `
  battery                                          | 03                            | Battery
  sensitivity                                      | 06 1E                         | Sensitivity { sensitivity: 30 }
  LEDs                                             | 08 FF 00 01 02 80 FE          | Leds { led1: { r: 255, g: 0, b: 1 }, led2: { r: 2, g: 128, b: 254 } }
  dark LEDs                                        | 08 00 00 00 00 00 00          | Leds { led1: { r: 0, g: 0, b: 0 }, led2: { r: 0, g: 0, b: 0 } }
  pulse                                            | 10 05 0A 14 0A 0B 0C 01 00    | Pulse { count: 5, onMs: 100, offMs: 200, colour: { r: 10, g: 11, b: 12 }, mode: "parallel", leds: "both" }
  endless pulse of LED 2, one by one               | 10 FF FF 00 FF FF FF 00 02    | Pulse { count: 255, onMs: 2550, offMs: 0, colour: { r: 255, g: 255, b: 255 }, mode: "oneByOne", leds: "led2" }
  calibrate                                        | 13                            | Calibrate
  stop                                             | 14                            | StopLeds
  colour                                           | 17                            | Colour
  initialise of the vendor's Unity demo            | 19 1E 03 32 32 00 FF 00 01 00 | Initialise { sensitivity: 30, pulse: { count: 3, onMs: 500, offMs: 500, colour: { r: 0, g: 255, b: 0 }, mode: "parallel", leds: "both" } }
  initialise of the vendor's iOS demo              | 19 1E 03 64 64 FF 00 00 01 00 | Initialise { sensitivity: 30, pulse: { count: 3, onMs: 1000, offMs: 1000, colour: { r: 255, g: 0, b: 0 }, mode: "parallel", leds: "both" } }
  initialise, bare                                 | 19                            | InitialiseBare
  single taps on                                   | 31 01                         | SingleTap { on: true }
  single taps off                                  | 31 00                         | SingleTap { on: false }
  double taps on                                   | 32 01                         | DoubleTap { on: true }
  double taps off                                  | 32 00                         | DoubleTap { on: false }
  detection settings                               | 65 04 02 01 0A 36 14 32 1E    | Detection { settings: { samples: 4, movements: 2, faces: 1, min_flat_degrees: 10, max_flat_degrees: 54, weak_stable: 20, movement_degrees: 50, roll_threshold: 30 } }
`;

const refused = `
  nothing                                        | -                          | a command must have at least 1 byte, got none
  an unknown opcode                              | 7F 01                      | no command has the opcode 7F
  the colour setting, whose payload nobody knows | 27 01                      | no command has the opcode 27
  LEDs cut short                                 | 08 FF 00 00 00 00          | the LED command 08 must have 7 bytes, got 6
  LEDs too long                                  | 08 00 00 00 00 00 00 00    | the LED command 08 must have 7 bytes, got 8
  a battery request with a payload               | 03 00                      | the battery command 03 must have 1 byte, got 2
  half an initialise                             | 19 1E                      | the initialise command 19 must have 1 byte or 10 bytes, got 2
  a third pulse mode                             | 10 01 01 01 00 00 00 02 00 | the pulse mode must be 0 or 1, got 2
  a third LED                                    | 10 01 01 01 00 00 00 01 03 | the LED selector must be 0 to 2, got 3
  a switch of 2                                  | 31 02                      | the single-tap switch must be 0 or 1, got 2
  detection settings cut short                   | 65 04                      | the detection command 65 must have 9 bytes, got 2
`;

describe('dice protocol: commands', () => {
  const codec = { encode: encodeCommand, decode: decodeCommand };
  itWritesAndReads(codec, golden);
  itRefuses(codec, refused);
  const opcode = fc.constantFrom(0x03, 0x06, 0x08, 0x10, 0x13, 0x14, 0x17, 0x19, 0x31, 0x32, 0x65);
  const likely = fc
    .tuple(opcode, fc.array(fc.nat(3), { maxLength: 12 }))
    .map(([first, rest]) => Buffer.from([first, ...rest]));
  itTakesAnyBytes(codec, likely);

  it('has the defaults of the vendor', () => {
    expect(encodeCommand(DEFAULT_INITIALISE)).to.deep.equal(bytes('19 1E 03 32 32 00 FF 00 01 00'));
    expect(encodeCommand({ _tag: 'Detection', settings: DEFAULT_DETECTION })).to.deep.equal(
      bytes('65 04 02 01 0A 36 14 32 1E'),
    );
  });

  it('clamps numbers outside a byte', () => {
    expect(
      encodeCommand({ _tag: 'Leds', led1: { r: 256, g: -1, b: 1.4 }, led2: { r: 999, g: 0.6, b: 0 } }),
    ).to.deep.equal(bytes('08 FF 00 01 FF 01 00'));
  });
});
