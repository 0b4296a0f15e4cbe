import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { signalStatus, type Session } from '../../simulators/lab/linux/session.js';
import { END_MS, startTogether } from '../../simulators/lab/linux/together.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

/** A guest whose beginning and end the test controls; it ends at the second SIGTERM too. */
class HandSession implements Session {
  begin: (hasBegun: boolean) => void = () => undefined;
  end: (ended: E.Either<string, number>) => void = () => undefined;
  readonly begun = new Promise<boolean>((resolve) => (this.begin = resolve));
  readonly ended = new Promise<E.Either<string, number>>((resolve) => (this.end = resolve));
  readonly signals: NodeJS.Signals[] = [];
  isStarted = false;

  readonly start = (): Session => {
    this.isStarted = true;
    return this;
  };

  signal(name: NodeJS.Signals): void {
    this.signals.push(name);
    if (this.signals.length === 2) this.end(E.right(signalStatus(name)));
  }
}

/** Resolves after the callbacks of all settled promises. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Several guests', () => {
  let time: ManualTime;
  let main: HandSession;
  let other: HandSession;
  let all: Session;

  beforeEach(() => {
    time = manualTime();
    [main, other] = [new HandSession(), new HandSession()];
    all = startTogether(main.start, [other.start], time);
  });

  it('start the main one when the others have begun, and end the others after it', async () => {
    expect([main.isStarted, other.isStarted]).to.deep.equal([false, true]);
    other.begin(true);
    await settled();
    expect(main.isStarted).to.equal(true);
    main.end(E.right(7));
    await settled();
    expect(other.signals).to.deep.equal(['SIGTERM']);
    time.advance(END_MS);
    expect(await all.ended).to.deep.equal(E.right(7));
    expect(time.pending).to.equal(0);
  });

  it('end with the status of another failed guest if the main one succeeds', async () => {
    other.begin(true);
    other.end(E.right(3));
    await settled();
    main.end(E.right(0));
    expect(await all.ended).to.deep.equal(E.right(3));
  });

  it('end without the main one if another cannot begin', async () => {
    other.begin(false);
    other.end(E.left('no guest'));
    expect(await all.ended).to.deep.equal(E.left('no guest'));
    expect(main.isStarted).to.equal(false);
  });

  it('pass signals on to the main one, and before its start to all others', async () => {
    all.signal('SIGINT');
    other.begin(true);
    await settled();
    all.signal('SIGHUP');
    expect(other.signals).to.deep.equal(['SIGINT']);
    expect(main.signals).to.deep.equal(['SIGINT', 'SIGHUP']);
  });
});
