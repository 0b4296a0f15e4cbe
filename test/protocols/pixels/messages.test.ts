import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import {
  ALL_FACES,
  BATTERY_STATES,
  decodeCommand,
  decodeNotification,
  encodeCommand,
  encodeNotification,
  isCharging,
  type Identity,
} from '../../../src/protocols/pixels/index.js';
import { itRefuses, itWritesAndReads } from '../../support/codec-cases.js';
import { bytes } from '../../support/hci-host.js';
import { rows } from '../../support/rows.js';

const zeros = (count: number): string => '00'.repeat(count);

const die = {
  ledCount: 20,
  colorway: 'midnight_galaxy',
  dieType: 'd20',
  profileHash: 0x57477a0b,
  pixelId: 0x12345678,
  freeFlash: 0x5000,
  rollState: 'onFace',
  faceIndex: 19,
  battery: 80,
  batteryState: 'ok',
} as const;

const legacy: Identity = { profile: 'legacy', ...die, builtAt: new Date('2024-11-07T13:05:00Z') };

const current: Identity = {
  profile: 'current',
  ...die,
  builtAt: new Date('2025-01-03T22:04:00Z'),
  firmwareVersion: 0x100,
  versions: { settings: 0x100, standard: 0x100, extended: 0x100, management: 0x100 },
  chip: 1,
  runMode: 'user',
  designName: '',
  name: 'Pixel12345678',
  usableFlash: 0x6000,
};

const name = '506978656C3132333435363738';
const version = '0F 0001 D05E7867 0001 0001 0001 0001';
const identification = '0A 78563412 01 07 14 03 00';
const names = `20 ${zeros(31)} 20 ${name} ${zeros(18)}`;
const settings = '0D 0B7A4757 00500000 00600000';
const status = '05 50 00 05 13';
const legacyHex = '02 14 03 07 0B7A4757 78563412 0050 FCBA2C67 05 13 50 00';
const withoutStatus = ['02', version, identification, names, settings].join('');
const currentHex = `${withoutStatus}${status}`;

const notifications = `
  handling                         | 03 02 03                                 | RollState { state: "handling", faceIndex: 3 }
  rolling                          | 03 03 07                                 | RollState { state: "rolling", faceIndex: 7 }
  the end of a roll                | 03 01 0B                                 | RollState { state: "rolled", faceIndex: 11 }
  the receipt of a blink           | 1E                                       | BlinkAck
  a battery that charges           | 22 4C 02                                 | BatteryLevel { level: 76, state: "charging" }
  a signal strength                | 24 C4                                    | Rssi { rssi: -60 }
  the receipt of a name            | 34                                       | SetNameAck
  temperatures                     | 3D 0A0B CE09                             | Temperature { mcu: 28.26, battery: 25.1 }
  temperatures below zero          | 3D 9CFF FFFF                             | Temperature { mcu: -1, battery: -0.01 }
  the receipt of a blink of the id | 42                                       | BlinkIdAck
`;

const commands = `
  a request of the identity        | 01                                 | WhoAreYou
  an animation on a face           | 13 02 13 01                        | PlayAnimation { animation: 2, faceIndex: 19, loopCount: 1 }
  a request of the roll state      | 17                                 | RequestRollState
  repeated telemetry               | 1A 02 F401                         | RequestTelemetry { mode: "repeat", minIntervalMs: 500 }
  a red blink of all faces         | 1D 01 E803 0000FF00 FFFFFFFF 00 01 | Blink { count: 1, durationMs: 1000, colour: { r: 255, g: 0, b: 0 }, faceMask: ${ALL_FACES}, fade: 0, loopCount: 1 }
  a fading blink of one face       | 1D 02 D007 00C80000 00000800 80 03 | Blink { count: 2, durationMs: 2000, colour: { r: 0, g: 200, b: 0 }, faceMask: 524288, fade: 128, loopCount: 3 }
  a request of the battery level   | 21                                 | RequestBatteryLevel
  a request of the signal strength | 23 01 0000                         | RequestRssi { mode: "once", minIntervalMs: 0 }
  repeated signal strengths        | 23 02 8813                         | RequestRssi { mode: "repeat", minIntervalMs: 5000 }
  a name                           | 33 426F62 ${zeros(29)}             | SetName { name: "Bob" }
  off                              | 35 00                              | PowerOperation { operation: "off" }
  reset                            | 35 01                              | PowerOperation { operation: "reset" }
  sleep                            | 35 02                              | PowerOperation { operation: "sleep" }
  the end of all animations        | 3B                                 | StopAllAnimations
  a request of temperatures        | 3C                                 | RequestTemperature
  a blink of the id                | 41 80 02                           | BlinkId { brightness: 128, loopCount: 2 }
`;

const refusedNotifications = `
  nothing                                      | -                                        | a notification must have at least 1 byte, got none
  an unknown number                            | 7F                                       | no notification has the number 7F
  a roll state without a face                  | 03 01                                    | the notification RollState must have at least 3 bytes, got 2
  a battery of 101 %                           | 22 65 00                                 | the battery level must be 0 to 100, got 101
  an identity that a small MTU cut             | ${withoutStatus.replaceAll(' ', '').slice(0, 40)} | the notification IAmADie must have at least 22 bytes, got 20
  an identity without its last chunk           | ${withoutStatus} | the notification IAmADie must have 22 bytes or 6 whole chunks, got 103 bytes
  an identity with a chunk of no bytes         | ${withoutStatus}00 | the notification IAmADie must have 22 bytes or 6 whole chunks, got 104 bytes
  an identity with a chunk that is cut         | ${withoutStatus}06 50 00 05 13 | the notification IAmADie must have 22 bytes or 6 whole chunks, got 108 bytes
  an identity with a fourth run mode           | 02 ${version} 0A 78563412 01 07 14 03 03 ${names} ${settings} ${status} | the run mode must be 0 to 2, got 3
  an identity with an impossible battery level | ${withoutStatus}05 7F 00 05 13 | the battery level must be 0 to 100, got 127
`;

const refusedCommands = `
  nothing                  | -          | a command must have at least 1 byte, got none
  an unknown number        | 7E 01      | no command has the number 7E
  half a blink             | 1D 01 E803 | the command Blink must have at least 14 bytes, got 4
  a fourth request mode    | 23 03 0000 | the request mode must be 0 to 2, got 3
  a fourth power operation | 35 03      | the power operation must be 0 to 2, got 3
`;

describe('Pixels protocol: messages', () => {
  describe('of dice', () => {
    const codec = { encode: encodeNotification, decode: decodeNotification };
    itWritesAndReads(codec, [
      ['the identity of a legacy die', legacyHex, { _tag: 'IAmADie', ...legacy }],
      ['the identity of a current die', currentHex, { _tag: 'IAmADie', ...current }],
    ]);
    itWritesAndReads(codec, notifications);
    itRefuses(codec, refusedNotifications);
  });

  describe('to dice', () => {
    const codec = { encode: encodeCommand, decode: decodeCommand };
    itWritesAndReads(codec, commands);
    itRefuses(codec, refusedCommands);
  });

  it('reads chunks that are shorter or longer than expected', () => {
    const withoutRunMode = '09 78563412 01 07 14 03';
    const longerVersion = '11 0001 D05E7867 0001 0001 0001 0001 ABCD';
    const extraChunk = '03 1122';
    expect(
      decodeNotification(
        bytes(['02', longerVersion, withoutRunMode, names, settings, status, extraChunk].join('')),
      ),
    ).to.deep.equal(E.right({ _tag: 'IAmADie', ...current }));
  });

  it('reads a name that fills its field', () => {
    const full = { ...current, name: 'N'.repeat(31) };
    expect(decodeNotification(encodeNotification({ _tag: 'IAmADie', ...full }))).to.deep.equal(
      E.right({ _tag: 'IAmADie', ...full }),
    );
  });

  it('ignores bytes after the fields of a message', () => {
    expect(decodeNotification(bytes('24 C4 00'))).to.deep.equal(E.right({ _tag: 'Rssi', rssi: -60 }));
    expect(decodeCommand(bytes('17 01'))).to.deep.equal(E.right({ _tag: 'RequestRollState' }));
  });

  it('reads new types and colorways as unknown', () => {
    const newer = ['02', version, '0A 78563412 01 0A 14 07 00', names, settings, status];
    expect(decodeNotification(bytes(newer.join('')))).to.deep.equal(
      E.right({ _tag: 'IAmADie', ...current, dieType: 'unknown', colorway: null }),
    );
  });

  it('treats a battery as charging until it leaves the charger', () => {
    expect(BATTERY_STATES.filter(isCharging)).to.deep.equal(['charging', 'done']);
  });

  it('reads new states as unknown or as an error', () => {
    expect(decodeNotification(bytes('03 06 00'))).to.deep.equal(
      E.right({ _tag: 'RollState', state: 'unknown', faceIndex: 0 }),
    );
    expect(decodeNotification(bytes('22 50 06'))).to.deep.equal(
      E.right({ _tag: 'BatteryLevel', level: 80, state: 'error' }),
    );
  });

  it('cuts a long name between characters and ends it with a zero', () => {
    expect(encodeCommand({ _tag: 'SetName', name: 'x'.repeat(40) })).to.deep.equal(
      bytes(`33 ${'78'.repeat(31)} 00`),
    );
    expect(encodeCommand({ _tag: 'SetName', name: `${'x'.repeat(30)}é` })).to.deep.equal(
      bytes(`33 ${'78'.repeat(30)} 0000`),
    );
  });

  it('limits numbers to their fields', () => {
    const colour = { r: 256, g: -1, b: 1.4 };
    const blink = { count: 999, durationMs: 70_000, colour, faceMask: 0, fade: -3, loopCount: 0 };
    expect(encodeCommand({ _tag: 'Blink', ...blink })).to.deep.equal(
      bytes('1D FF FFFF 0100FF00 00000000 00 00'),
    );
    expect(encodeNotification({ _tag: 'BatteryLevel', level: 140, state: 'ok' })).to.deep.equal(
      bytes('22 64 00'),
    );
  });

  it('reads any bytes without throwing', () => {
    const number = fc.constantFrom(
      2,
      ...rows(3, `${notifications.trimEnd()}${commands}`).map(([, hex]) => bytes(hex)[0] ?? 0),
    );
    const packet = fc
      .tuple(number, fc.uint8Array({ maxLength: 110 }))
      .map(([first, rest]) => Buffer.from([first, ...rest]));
    fc.assert(
      fc.property(packet, (bytesSent) => {
        for (const decoded of [decodeNotification(bytesSent), decodeCommand(bytesSent)]) {
          if (E.isLeft(decoded)) expect(decoded.left.message).to.match(/ (must|has the number) /u);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
