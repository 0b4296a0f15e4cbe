import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import * as codecs from '../../src/codecs/index.js';
import { commands } from '../../src/clock/contract.js';
import * as dice from '../../src/dice/contract.js';
import { FaultBody } from '../../simulators/control/faults.js';

const ajv = new Ajv2020({ strict: false });

/** Values that a codec may well take, and others close to them. */
const near = (...values: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: fc.integer({ min: -1600, max: 1600 }) },
    { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.constantFrom(null, true, false, '', {}, [], 0, 1, -1) },
  );

/** Objects with some of the fields that an object may have, each near what it should be. */
const objects = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> =>
  fc.record(fields, { requiredKeys: [] });

const address = near('D1:CE:00:00:00:01', 'd1:ce:00:00:00:01', 'D1:CE:00:00:00', 'D1CE00000001');
const time = fc.oneof(
  near('07:30', '23:59', '24:00', '7:30'),
  objects({ hour: near(0, 23, 24), minute: near(0, 59, 60) }),
);
const session = near('abc');

const cases: readonly (readonly [string, codecs.AnyCodec, fc.Arbitrary<unknown>])[] = [
  ['text', codecs.text, near('a')],
  ['boolean', codecs.boolean, near(true)],
  ['a literal', codecs.literal(true), near(true)],
  ['any whole number', codecs.anyInteger, near(2 ** 53 - 1, 2 ** 53, -(2 ** 53))],
  ['a whole number', codecs.integer(0, 15), near(0, 15, 16, 1.5)],
  ['steps', codecs.integer(-720, 840, 6), near(-720, 840, 6, 7)],
  ['a number', codecs.number(1, 600), near(0.99, 1, 600, 600.01)],
  ['one of some', codecs.oneOf(['d6', 'd20']), near('d6', 'd20', 'd7')],
  ['an address', codecs.deviceAddress, address],
  ['null or a number', codecs.nullable(codecs.integer(0, 100)), near(0, 100, 101)],
  ['a colour', dice.Colour, near('ff0000', '#FF0000', '##ff0000', 'ff000', 'ff00000', 'gg0000')],
  ['a connect', dice.ConnectRequest, objects({ address, dice_type: near('d6', 'd7'), more: near(1) })],
  [
    'a led',
    dice.endpoints.led.body,
    objects({ session_id: session, led1: near('ff0000'), led2: near('00ff00') }),
  ],
  [
    'taps',
    dice.endpoints.taps.body,
    objects({ session_id: session, single: near(true), double: near(false) }),
  ],
  [
    'a pulse',
    dice.endpoints.pulse.body,
    objects({
      ...{ session_id: session, count: near(1, 255, 256), on_ms: near(0, 2550, 5), off_ms: near(10) },
      ...{ color: near('ff0000'), leds: near('both', 'led1', 'led3') },
    }),
  ],
  ['scan', commands.scan.parameters, objects({ duration_secs: near(1, 600, 601, 0.5) })],
  [
    'delete_alarm',
    commands.delete_alarm.parameters,
    objects({ type: near('delete_alarm'), address, slot: near(0, 15, 16) }),
  ],
  [
    'set_brightness',
    commands.set_brightness.parameters,
    objects({ address, value: near(0, 10, 150, 155, 160) }),
  ],
  ['preview_ringtone', commands.preview_ringtone.parameters, objects({ address, volume: near(1, 5, 6) })],
  [
    'set_alarm',
    commands.set_alarm.parameters,
    objects({
      ...{ address, slot: near(0, 15), time, repeat_mask: near(0, 127, 128) },
      ...{ enabled: near(true), snooze: near(false) },
    }),
  ],
  [
    'upload_ringtone',
    commands.upload_ringtone.parameters,
    objects({
      ...{ address, offset: near(0, -1), last: near(true) },
      ...{ data: near('', 'AAAA', 'AAA=', 'AA==', 'A===', 'AAA', '!'), format: near('wav', 'mp3') },
    }),
  ],
  [
    'write_settings',
    commands.write_settings.parameters,
    objects({
      address,
      settings: objects({
        ...{ volume: near(1, 5, 6), language: near('en', 'fr') },
        ...{ night_start: time, ringtone: near('deadbeef') },
        ...{ timezone_offset_minutes: near(-1530, 60, 61), screen_light_secs: near(0, 255, 256) },
      }),
    }),
  ],
  [
    'a fault whose stage may be left out',
    FaultBody,
    objects({
      ...{ type: near('delay', 'corrupt', 'drop'), device: near('all', 'hci0'), ms: near(5) },
      stage: near('command', 'acl_from_host', 'advertising'),
    }),
  ],
];

describe('the schema of a codec takes what the codec takes, and nothing else:', () => {
  for (const [name, codec, values] of cases) {
    it(name, () => {
      const takes = ajv.compile(codec.schema.takes);
      const gives = ajv.compile(codec.schema.gives);
      let taken = 0;
      fc.assert(
        fc.property(values, (value) => {
          const decoded = codec.decode(value);
          expect(takes(value), JSON.stringify(value)).to.equal(E.isRight(decoded));
          if (E.isLeft(decoded)) return;
          taken += 1;
          const encoded: unknown = codec.encode(decoded.right);
          expect(gives(encoded), JSON.stringify(encoded)).to.equal(true);
        }),
        { numRuns: 3000 },
      );
      expect(taken).to.be.above(0);
    });
  }
});
