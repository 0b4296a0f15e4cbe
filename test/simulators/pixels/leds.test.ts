import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ALL_FACES, type Command } from '../../../src/protocols/pixels/index.js';
import { advertisementOf, scanResponseOf } from '../../../simulators/devices/pixels/advertising.js';
import { Leds } from '../../../simulators/devices/pixels/leds.js';
import type { PixelStart } from '../../../simulators/devices/pixels/state.js';
import { manualTime } from '../../support/manual-time.js';
import { dieWith } from './scene.js';

describe('model of a Pixels die: LEDs', () => {
  const red = { r: 255, g: 0, b: 0 };
  const dark = { r: 0, g: 0, b: 0 };
  const blink = {
    _tag: 'Blink',
    count: 1,
    durationMs: 1000,
    colour: red,
    faceMask: ALL_FACES,
    fade: 0,
  } as const;

  /** Whether LED 0 is lit in the middle of each half period: `*` or `.`. */
  const lights = (start: Partial<PixelStart>, command: Command, halfMs: number, halves: number): string => {
    const { die, send, time } = dieWith(start);
    send(command);
    time.advance(halfMs / 2);
    return Array.from({ length: halves }, () => {
      const [led] = die.state.leds;
      time.advance(halfMs);
      return led?.r === 255 ? '*' : '.';
    }).join('');
  };

  const first = { firmware: '2023-11-17' } as const;
  const patterns: readonly (readonly [string, Partial<PixelStart>, object, number, string])[] = [
    ['once for the first half of its duration', {}, { loopCount: 1 }, 500, '*...'],
    ['in each of its periods', {}, { count: 2, loopCount: 1 }, 250, '*.*...'],
    ['as often as it loops', {}, { count: 2, loopCount: 2 }, 250, '*.*.*.*...'],
    ['once with a loop count of 0', {}, { loopCount: 0 }, 500, '*...'],
    ['for ever with a loop in the first release', first, { loopCount: 1 }, 500, '*.*.*.*.*.'],
    ['once without a loop in the first release', first, { loopCount: 0 }, 500, '*...'],
    ['never with a count of 0', {}, { count: 0, loopCount: 1 }, 500, '....'],
    ['never with a count of 0 in the first release', first, { count: 0 }, 500, '....'],
    ['never without a duration', {}, { durationMs: 0, loopCount: 1 }, 500, '....'],
  ];
  for (const [title, start, change, halfMs, lit] of patterns) {
    it(`blinks ${title}`, () => {
      const command = { ...blink, loopCount: 1, ...change };
      expect(lights(start, command, halfMs, lit.length)).to.equal(lit);
    });
  }

  // The shown red by the time, ms.
  for (const [fade, course] of [
    [0, { 0: 200, 499: 200, 500: 0, 1000: 200 }],
    [51, { 0: 0, 50: 100, 100: 200, 500: 200, 550: 100, 600: 0, 999: 0, 1050: 100 }],
    [255, { 0: 0, 250: 100, 500: 200, 750: 100, 1000: 0 }],
  ] as const) {
    it(`ramps up and down with a fade of ${fade}`, () => {
      const time = manualTime(7);
      const leds = new Leds(1, time, () => undefined);
      leds.start({ ...blink, colour: { r: 200, g: 100, b: 40 }, fade, loopCount: 1 }, Infinity);
      for (const [ms, r] of Object.entries(course)) {
        time.advance(7 + Number(ms) - time.now());
        expect(leds.lit[0], ms).to.deep.equal({ r, g: r / 2, b: r / 5 });
      }
      leds.close();
      expect(time.pending).to.equal(0);
    });
  }

  const changes: readonly (readonly [number, readonly number[]])[] = [
    [0, [200, 0, 200, 0, 0]],
    [51, [0, 200, 200, 0, 0, 200, 200, 0, 0]],
    [255, [0, 200, 0, 200, 0]],
  ];
  for (const [fade, reds] of changes) {
    it(`reports the ends of its ramps and of the blink with a fade of ${fade}`, () => {
      const time = manualTime();
      const seen: (number | undefined)[] = [];
      const leds = new Leds(1, time, () => void seen.push(leds.lit[0]?.r));
      const twice = { ...blink, colour: { r: 200, g: 0, b: 0 }, count: 2, durationMs: 2000 };
      leds.start({ ...twice, fade, loopCount: 1 }, 1);
      time.advance(5000);
      const [, ...afterStop] = seen;
      expect(afterStop).to.deep.equal(reds);
    });
  }

  it('acknowledges a blink at receipt, and lights all its LEDs', () => {
    const { die, send, notified } = dieWith();
    send({ ...blink, loopCount: 1 });
    expect(notified()).to.deep.equal([{ _tag: 'BlinkAck' }]);
    expect(die.state.leds).to.deep.equal(Array(20).fill(red));
    expect(die.state.blink).to.deep.include({ count: 1, durationMs: 1000, colour: red });
  });

  for (const [title, start, faceMask, lit] of [
    ['the faces of the mask alone', {}, (1 << 19) | 1, [0, 19]],
    [
      'as many LEDs on a face with pips as there are pips',
      { type: 'd6_pipped', faceIndex: 0 },
      1 << 2,
      [3, 4, 5],
    ],
  ] as const) {
    it(`lights ${title}`, () => {
      const { die, send } = dieWith(start);
      send({ ...blink, faceMask, loopCount: 1 });
      expect(die.state.leds.flatMap(({ r }, index) => (r === 0 ? [] : [index]))).to.deep.equal(lit);
    });
  }

  it('is dark after a blink that replaces another, and after all animations are stopped', () => {
    const { die, send, time, notified } = dieWith();
    send({ ...blink, durationMs: 60_000, loopCount: 9 }, { ...blink, loopCount: 1 });
    time.advance(1000);
    expect(die.state.blink).to.equal(null);
    expect(time.pending).to.equal(0);
    send({ ...blink, loopCount: 9 });
    notified();
    send({ _tag: 'StopAllAnimations' });
    expect(die.state.leds).to.deep.equal(Array(20).fill(dark));
    expect(notified()).to.deep.equal([]);
    expect(time.pending).to.equal(0);
  });
});

describe('advertisements of a Pixels die', () => {
  const advertised = (start: Partial<PixelStart>): readonly [string, string] => {
    const { die } = dieWith(start);
    return [
      advertisementOf(die.state, die.batteryState).toString('hex').toUpperCase(),
      scanResponseOf(die.state).toString('hex').toUpperCase(),
    ];
  };

  it('have the bytes of its profile', () => {
    const name = '0E09506978656C3132333435363738';
    expect(advertised({ firmware: '2025-01-03' })).to.deep.equal([
      `020106 03030A18 08FF390D1473051350 ${name}`.replaceAll(' ', ''),
      '11075B9BDC8E0C3562A9F2435A7A0100B9A60B160A1878563412D05E7867',
    ]);
    expect(advertised({})).to.deep.equal([
      `020106 03030A18 08FFFFFF1473051350 ${name}`.replaceAll(' ', ''),
      '11079ECADC240EE5A9E093F3A3B50100406E0B160A1878563412FCBA2C67',
    ]);
  });

  it('have the first 13 characters of a name, and omit an empty name', () => {
    const [long] = advertised({ name: 'A die of mine alone' });
    expect(long.endsWith(`0E08${Buffer.from('A die of mine').toString('hex').toUpperCase()}`)).to.equal(true);
    const [empty] = advertised({ name: '' });
    expect(empty).to.equal('02010603030A1808FFFFFF1473051350');
  });
});
