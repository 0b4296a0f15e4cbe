import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { Air, seededRng } from '../../simulators/radio/index.js';
import { otherTurns, text } from '../support/hci-host.js';
import { CENTRAL, PERIPHERAL, advertise, connectionTo, hostOn, scan } from '../support/hci-scenes.js';
import { manualTime } from '../support/manual-time.js';

/** All packets that both hosts of a lossy air receive in 1.3 s, with their times. */
const story = async (seed: number): Promise<readonly string[]> => {
  const time = manualTime();
  const air = new Air({ time, seed, pace: 'real', loss: 0.4 });
  const central = await hostOn(air, { address: CENTRAL });
  const peripheral = await hostOn(air, { address: PERIPHERAL });
  const received: string[] = [];
  const live = async (ms: number): Promise<void> => {
    for (let elapsed = 0; elapsed < ms; elapsed += 2.5) {
      time.advance(2.5);
      await otherTurns(3);
      for (const host of [central, peripheral]) {
        received.push(...host.take().map((packet) => `${time.now()} ${host.address} ${text(packet)}`));
      }
    }
  };
  await advertise(peripheral);
  await scan(central, 0);
  await live(500);
  await central.status('leCreateConnection', connectionTo(PERIPHERAL));
  await live(500);
  const [handle = 0] = central.controller.links.handles();
  for (let index = 0; index < 10; index++) central.acl(handle, 0, Buffer.from([index]));
  await live(300);
  return received;
};

describe('A run', () => {
  it('repeats with the same seed', async () => {
    const first = await story(11);
    expect(first.length).to.be.above(10);
    expect(await story(11)).to.deep.equal(first);
    expect(await story(12), 'another seed').to.not.deep.equal(first);
  });

  it('draws its first numbers spread, even over consecutive seeds', () => {
    for (let draw = 0; draw < 4; draw++) {
      const numbers = Array.from({ length: 1000 }, (_, seed) => {
        const rng = seededRng(seed);
        for (let before = 0; before < draw; before++) rng();
        return rng();
      });
      const tenths = Array.from(
        { length: 10 },
        (_, tenth) => numbers.filter((number) => Math.floor(number * 10) === tenth).length,
      );
      expect(Math.min(...tenths), `draw ${draw}`).to.be.above(50);
      expect(Math.max(...tenths), `draw ${draw}`).to.be.below(150);
    }
  });

  it('draws numbers in [0, 1), spread over it and hardly ever repeated', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const rng = seededRng(seed);
        const numbers = Array.from({ length: 1000 }, () => rng());
        expect(Math.min(...numbers)).to.be.within(0, 0.05);
        expect(Math.max(...numbers)).to.be.within(0.95, 1 - Number.EPSILON);
        expect(new Set(numbers).size).to.be.above(990);
        const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
        expect(mean).to.be.within(0.4, 0.6);
      }),
    );
  });
});
