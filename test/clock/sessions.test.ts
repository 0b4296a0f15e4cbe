/** Clocks without a session: how many a server remembers, and how the next command finds them. */
import { expect } from 'chai';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { beforeEach, describe, it } from 'mocha';
import type { Address } from '../../src/ble/ports.js';
import { Sessions } from '../../src/clock/sessions.js';
import { openSightings } from '../../src/clock/sightings.js';
import { ALONE, type LinkedNeighbour } from '../../src/devices/neighbours.js';
import { BEDROOM, HALL, KITCHEN, LIMITS } from '../support/clock-fixture.js';
import { left, right } from '../support/either.js';
import { FakeClock } from '../support/fake-clock.js';
import { FakeRadio } from '../support/fake-radio.js';
import { silent } from '../support/log.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const IDLE = 120_004;
const MOST = 2;

describe('The sessions of clocks', () => {
  let time: ManualTime;
  let sessions: Sessions;
  let reconnected: Address[];
  let changes: Address[];
  let linkedNeighbour: LinkedNeighbour;
  let radio: FakeRadio;

  beforeEach(() => {
    time = manualTime();
    [reconnected, changes] = [[], []];
    linkedNeighbour = ALONE;
    radio = new FakeRadio(time);
    const sightings = openSightings({ levelChanged: () => undefined, renamed: () => undefined });
    radio.observe((advertisement) => void sightings.record(advertisement));
    sessions = new Sessions(
      {
        ...{ radio, sightings, time, random: () => 0.5, log: silent },
        linkedNeighbour: (address) => linkedNeighbour(address),
        limits: { ...LIMITS, idle: IDLE },
        tokens: {
          tokenFor: () => TE.right({ bytes: Buffer.alloc(16, 1), proven: false }),
          promote: () => TE.right(undefined),
          drop: () => TE.right(undefined),
        },
        emit: (address, { event }) => {
          if (event === 'reconnected') reconnected.push(address);
        },
        changed: (address) => changes.push(address),
        dismissed: () => undefined,
      },
      MOST,
    );
    for (const address of [KITCHEN, BEDROOM, HALL]) radio.put(new FakeClock(address, radio));
  });

  const connect = async (address: Address): Promise<void> =>
    void right(await sessions.connect(address, new AbortController().signal)());

  it('forget the clock that has rested longest beyond the limit, and report it', async () => {
    for (const address of [KITCHEN, BEDROOM, KITCHEN, HALL]) {
      await connect(address);
      changes = [];
      await time.pass(IDLE);
    }
    expect(sessions.addresses).to.deep.equal([KITCHEN, HALL]);
    expect(changes).to.include(BEDROOM);
    await sessions.close();
  });

  it('forget the first loss beyond the limit', async () => {
    for (const address of [KITCHEN, BEDROOM, HALL]) {
      await connect(address);
      right(await sessions.disconnect(address)());
    }
    for (const address of [HALL, BEDROOM, KITCHEN]) await connect(address);
    expect(reconnected).to.deep.equal([HALL, BEDROOM]);
    await sessions.close();
  });

  it('are looked for among the neighbours if a command does not reach an idle clock', async () => {
    await connect(KITCHEN);
    await time.pass(IDLE);
    radio.forget(radio.put(new FakeClock(KITCHEN, radio)));
    linkedNeighbour = () => () => Promise.resolve('hall');
    const used = sessions.use(KITCHEN, new AbortController().signal)();
    await radio.heeded;
    await time.pass(LIMITS.find);
    expect(left(await used)).to.deep.equal({ _tag: 'OwnedElsewhere', address: KITCHEN, owner: 'hall' });
  });
});
