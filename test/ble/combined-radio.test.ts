import { expect } from 'chai';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { beforeEach, describe, it } from 'mocha';
import { CombinedRadio } from '../../src/ble/combined-radio.js';
import type { AdapterState, BleError } from '../../src/ble/ports.js';
import { left, right } from '../support/either.js';
import { FakeRadio } from '../support/fake-radio.js';

const DIE = 'D1:CE:00:00:00:01';

describe('A combined radio of one part', () => {
  let part: FakeRadio;
  let informed: string[];
  let radio: CombinedRadio;
  beforeEach(() => {
    part = new FakeRadio();
    informed = [];
    radio = new CombinedRadio([{ name: 'bluez:hci0', radio: part }], (message) => informed.push(message));
  });

  it('has each state of its part', () => {
    const states: AdapterState[] = ['unauthorized', 'unsupported', 'unknown', 'poweredOff', 'poweredOn'];
    for (const state of states) {
      part.power(state);
      expect(radio.state).to.equal(state);
    }
  });

  it('connects a device without a message about the choice of the part', async () => {
    part.add(DIE);
    right(await radio.connect(DIE, [])());
    expect(radio.parts.map(({ isLinked }) => isLinked(DIE))).to.deep.equal([true]);
    expect(informed).to.deep.equal([]);
  });

  it('uses its part no more after its end, also for a listener that comes later', async () => {
    await radio.close();
    radio.listen(() => undefined);
    expect([part.listeners.size, part.observers.size, part.stateListeners.size]).to.deep.equal([0, 0, 0]);
  });

  it('has the errors of its part', async () => {
    const limit: BleError = { _tag: 'LinkLimit', address: DIE };
    part.connect = () => TE.left(limit);
    expect(left(await radio.connect(DIE, [])())).to.deep.equal(limit);
  });
});
