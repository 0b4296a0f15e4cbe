import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { LONGEST_MS, MOST_EVENTS, openEventHistory } from '../../src/operations/broadcast.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const all = (): boolean => true;

describe('The history of events', () => {
  let time: ManualTime;
  let history: ReturnType<typeof openEventHistory>;
  beforeEach(() => {
    time = manualTime();
    history = openEventHistory(time);
  });

  const record = (count: number, source: string | null = 'a'): void => {
    for (let n = 0; n < count; n++) {
      const seq = history.newest + 1;
      history.record(source, () => String(seq));
    }
  };

  const seqsAfter = (seq: number, wants: (source: string) => boolean = all): readonly number[] =>
    history.read(seq, wants, MOST_EVENTS).texts.map(Number);

  it('makes a text only when it is read', () => {
    let made = 0;
    history.record('a', () => String((made += 1)));
    expect(made).to.equal(0);
    seqsAfter(0);
    expect(made).to.equal(1);
  });

  it('keeps as many events as it may', () => {
    record(MOST_EVENTS);
    expect(history.forgotten).to.equal(0);
    record(2);
    expect(history.forgotten).to.equal(2);
    const seqs = seqsAfter(history.forgotten);
    expect([seqs.length, seqs.at(0), seqs.at(-1)]).to.deep.equal([MOST_EVENTS, 3, MOST_EVENTS + 2]);
  });

  it('counts forgotten events as wanted, once there were a thousand sources since', () => {
    const none = (): boolean => false;
    for (let source = 1; source <= 1_000; source++) record(1, `${source}`);
    time.advance(LONGEST_MS + 1);
    expect(history.lost(0, none)).to.equal(0);
    record(2, 'another');
    time.advance(LONGEST_MS + 1);
    expect([history.lost(0, none), history.lost(1, none)]).to.deep.equal([1, 1]);
    expect(history.lost(0, all)).to.equal(1_002);
  });

  it('keeps them as long as it may, even if nothing comes', () => {
    record(2);
    time.advance(1);
    record(1);
    time.advance(LONGEST_MS - 1);
    expect(history.forgotten).to.equal(0);
    time.advance(1);
    expect(history.forgotten).to.equal(2);
    expect(seqsAfter(2)).to.deep.equal([3]);
    time.advance(1);
    expect([history.newest, history.forgotten]).to.deep.equal([3, 3]);
    expect(seqsAfter(3)).to.deep.equal([]);
    record(1);
    expect([history.newest, history.forgotten]).to.deep.equal([4, 3]);
    expect(seqsAfter(3)).to.deep.equal([4]);
  });
});
