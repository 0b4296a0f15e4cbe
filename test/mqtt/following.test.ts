import { expect } from 'chai';
import { describe, it } from 'mocha';
import { topicsOf } from '../../src/contract/topics.js';
import { LATE_MS } from '../../src/mqtt/claims.js';
import { Following } from '../../src/mqtt/following.js';
import { DEVICE, fakePeer } from '../support/fake-fleet.js';
import { manualTime } from '../support/manual-time.js';

/** The time until the first repair, ms. */
const SOON_MS = 1_000;
const DESCRIPTION = 'homeassistant/device/airbench/config';

const follow = () => {
  const time = manualTime();
  const repeated: string[] = [];
  const following = new Following(
    fakePeer(topicsOf('airbench', 'dice', 'one'), 'one', { time, publish: () => undefined }),
    {
      hasSession: () => true,
      roams: false,
      repeat: (_address, isLate) => repeated.push(isLate ? 'late' : 'soon'),
      descriptionOf: () => DESCRIPTION,
    },
  );
  following.follow(DEVICE);
  return { time, following, repeated };
};

describe('The messages about a device of this server', () => {
  it('are repeated soon after others have overwritten them, and once more later', () => {
    const { time, following, repeated } = follow();
    following.repair(DEVICE);
    following.repair(DEVICE);
    time.advance(SOON_MS);
    expect(repeated).to.deep.equal(['soon']);
    time.advance(2 * LATE_MS);
    expect(repeated).to.deep.equal(['soon', 'late']);
  });

  it('are repeated soon again if others overwrite them before the later time', () => {
    const { time, following, repeated } = follow();
    following.repair(DEVICE);
    time.advance(SOON_MS);
    following.repair(DEVICE);
    time.advance(SOON_MS);
    expect(repeated).to.deep.equal(['soon', 'soon']);
    time.advance(2 * LATE_MS);
    expect(repeated).to.deep.equal(['soon', 'soon', 'late']);
  });

  it('are repeated if others overwrite the description for Home Assistant, and no other topic', () => {
    const { time, following, repeated } = follow();
    following.receiveDescription('homeassistant/status');
    following.receiveDescription(DESCRIPTION);
    time.advance(SOON_MS);
    expect(repeated).to.deep.equal(['soon']);
  });

  it('are not repeated after the end of the connection', () => {
    const { time, following, repeated } = follow();
    following.repair(DEVICE);
    following.lost();
    time.advance(2 * LATE_MS);
    expect(repeated).to.deep.equal([]);
  });
});
