import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { rateLimit } from '../../src/http/rate-limit.js';
import { left } from '../support/bluetooth-fixture.js';
import { manualClock, type ManualClock } from '../support/manual-clock.js';

describe('the limit of requests a minute', () => {
  let clock: ManualClock;
  let limit: ReturnType<typeof rateLimit>;

  beforeEach(() => {
    clock = manualClock();
    limit = rateLimit(2, clock);
  });

  const passed = (...clients: readonly string[]): readonly boolean[] =>
    clients.map((client) => E.isRight(limit(client)));

  it('begins with the first request of a client', () => {
    expect(passed('a')).to.deep.equal([true]);
    clock.advance(59_000);
    expect(passed('b', 'a', 'a')).to.deep.equal([true, true, false]);
    clock.advance(1_000);
    expect(passed('a', 'b', 'b', 'a', 'a')).to.deep.equal([true, true, false, true, false]);
  });

  it('says when to try again, whatever is asked until then', () => {
    passed('a', 'a', 'a');
    clock.advance(15_500);
    expect(left(limit('a'))).to.include({ _tag: 'TooManyRequests', retryAfterSecs: 45 });
    clock.advance(44_499);
    expect(left(limit('a'))).to.include({ retryAfterSecs: 1 });
    clock.advance(1);
    expect(passed('a')).to.deep.equal([true]);
  });
});
