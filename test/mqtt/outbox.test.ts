import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { setImmediate } from 'node:timers/promises';
import { Outbox, STALLED_MS, type Outgoing } from '../../src/mqtt/outbox.js';
import { PACE_MS, paced, type Paced } from '../../src/mqtt/paced.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const event = (payload: string): Outgoing => ({
  ...{ topic: 'events', payload, retain: false, isAnswer: false },
});
const state = (payload: string): Outgoing => ({ ...event(payload), topic: 'state', retain: true });

describe('The outbox of a connection', () => {
  let sent: { readonly payload: unknown; readonly acknowledged: (error?: Error) => void }[];
  let dropped: number;
  let refused: string[];
  let stalled: number;
  let time: ManualTime;
  let outbox: Outbox;

  const open = (window: number, largest = Infinity): void => {
    outbox = new Outbox({
      ...{ window, largest },
      send: ({ payload }, acknowledged) => void sent.push({ payload, acknowledged }),
      dropped: () => (dropped += 1),
      refused: ({ topic }, { message }) => refused.push(`${topic}: ${message}`),
      stalled: () => (stalled += 1),
      time,
    });
  };
  /** Resolves when the outbox has written all messages that it may write now. */
  const written = async (): Promise<void> => {
    time.advance(PACE_MS);
    await setImmediate();
  };
  const payloads = (): readonly unknown[] => sent.map(({ payload }) => payload);
  /** Puts an event for each payload, and resolves when they are written. */
  const putAll = (...all: readonly string[]): Promise<void> => {
    for (const payload of all) outbox.put(event(payload));
    return written();
  };

  beforeEach(() => {
    sent = [];
    dropped = 0;
    refused = [];
    stalled = 0;
    time = manualTime();
    open(2);
  });

  it('sends as many at once as the broker takes, in order', async () => {
    await putAll('1', '2', '3', '4');
    expect(payloads()).to.deep.equal(['1', '2']);
    sent[1]?.acknowledged();
    await written();
    expect(payloads()).to.deep.equal(['1', '2', '3']);
    sent[0]?.acknowledged();
    await written();
    expect(payloads()).to.deep.equal(['1', '2', '3', '4']);
    expect(dropped).to.equal(0);
  });

  it('sends a single message at once, and the messages soon after it together, a millisecond later', async () => {
    open(1_000);
    outbox.put(event('1'));
    await setImmediate();
    expect(payloads()).to.deep.equal(['1']);
    for (const payload of ['2', '3']) {
      outbox.put(event(payload));
      await setImmediate();
    }
    time.advance(PACE_MS - 0.1);
    await setImmediate();
    expect(payloads()).to.deep.equal(['1']);
    time.advance(0.1);
    expect(payloads()).to.deep.equal(['1', '2', '3']);
  });

  it('reports when the broker has acknowledged or refused a message, but not when a message is lost', async () => {
    const settled: string[] = [];
    for (const payload of ['1', '2', '3'])
      outbox.put({ ...event(payload), settled: () => settled.push(payload) });
    await written();
    sent[0]?.acknowledged();
    sent[1]?.acknowledged(new Error('Not authorized'));
    await written();
    outbox.end();
    sent[2]?.acknowledged(new Error('Connection closed'));
    expect(settled).to.deep.equal(['1', '2']);
  });

  it('keeps the newest waiting message of a retained topic', async () => {
    await putAll('1', '2');
    for (const payload of ['old', 'older', 'new']) outbox.put({ ...state(payload), topic: 'retained' });
    for (const { acknowledged } of sent.slice()) acknowledged();
    await written();
    for (const { acknowledged } of sent.slice()) acknowledged();
    await written();
    expect(payloads()).to.deep.equal(['1', '2', 'new']);
  });

  it('has room for 10,000 messages, drops and counts further ones, and still takes retained ones', async () => {
    await putAll('0', '1');
    for (let count = 2; count < 10_100; count++) outbox.put(event(String(count)));
    expect(dropped).to.equal(98);
    outbox.put(state('last'));
    // Each acknowledgement makes room for another message.
    for (const message of sent) {
      message.acknowledged();
      await written();
    }
    expect(sent).to.have.length(10_003);
    expect(payloads().at(-1)).to.equal('last');
  });

  const KIB = 'x'.repeat(1024);

  it('keeps at most 16 MiB, sent or not, and has room again after acknowledgements', async () => {
    for (let count = 0; count < 16; count++) outbox.put(event(KIB.repeat(1024)));
    expect(dropped).to.equal(1);
    await written();
    outbox.put(event(KIB.repeat(1024)));
    expect(dropped).to.equal(2);
    sent[0]?.acknowledged();
    outbox.put(event(KIB.repeat(1024)));
    expect(dropped).to.equal(2);
    outbox.put(state(KIB.repeat(1024)));
    outbox.put(state('small'));
    sent[1]?.acknowledged();
    outbox.put(event(KIB.repeat(1000)));
    expect(dropped).to.equal(2);
  });

  it('leaves half of its room to messages that are not answers', () => {
    const answer = (payload: string): Outgoing => ({ ...event(payload), isAnswer: true });
    for (let count = 0; count < 5_010; count++) outbox.put(answer('1'));
    expect(dropped).to.equal(10);
    for (let count = 0; count < 5_000; count++) outbox.put(event('1'));
    expect(dropped).to.equal(10);
    open(2);
    for (let count = 0; count < 9; count++) outbox.put(answer(KIB.repeat(1024)));
    expect(dropped).to.equal(12);
    for (let count = 0; count < 8; count++) outbox.put(event(KIB.repeat(1024)));
    expect(dropped).to.equal(12);
  });

  it('refuses a packet larger than the broker takes, and sends the message behind it', async () => {
    open(2, 100);
    const settled: string[] = [];
    outbox.put({ ...state(KIB), settled: () => settled.push('large') });
    outbox.put(event('small'));
    await written();
    expect(payloads()).to.deep.equal(['small']);
    expect(settled).to.deep.equal(['large']);
    expect({ dropped, refused }).to.deep.equal({
      dropped: 1,
      refused: ['state: a packet may have 100 bytes at most'],
    });
  });

  it('counts the messages that the broker refuses', async () => {
    await putAll('1');
    sent[0]?.acknowledged(new Error('Not authorized'));
    expect({ dropped, refused }).to.deep.equal({ dropped: 1, refused: ['events: Not authorized'] });
  });

  it('counts all messages under way at the end of the connection once, except retained ones', async () => {
    await putAll('1', '2', '3');
    outbox.put(state('x'));
    outbox.end();
    for (const { acknowledged } of sent) acknowledged(new Error('Connection closed'));
    expect(dropped).to.equal(3);
    expect(payloads()).to.deep.equal(['1', '2']);
  });

  it('reports a broker that has stopped acknowledging messages', async () => {
    await putAll('1', '2', '3');
    time.advance(STALLED_MS - 1);
    sent[0]?.acknowledged();
    time.advance(STALLED_MS - 1);
    expect(stalled).to.equal(0);
    time.advance(1);
    expect(stalled).to.equal(1);
  });

  it('reports when all messages are acknowledged, and leaves no timer then or at the end of the connection', async () => {
    let emptied = 0;
    await putAll('1');
    outbox.onceEmpty(() => (emptied += 1));
    expect(emptied).to.equal(0);
    sent[0]?.acknowledged();
    expect([emptied, time.pending]).to.deep.equal([1, 0]);
    await putAll('2');
    outbox.put(event('3'));
    expect(time.pending).to.equal(2);
    outbox.end();
    expect(time.pending).to.equal(0);
  });
});

describe('A paced task', () => {
  it('runs again if it is requested while it runs, and does not run after it is cancelled', async () => {
    const time = manualTime();
    let runs = 0;
    const task: Paced = paced(time, () => {
      runs += 1;
      if (runs === 1) task.soon();
    });
    task.soon();
    task.cancel();
    await setImmediate();
    expect(runs).to.equal(0);
    task.soon();
    await setImmediate();
    time.advance(PACE_MS);
    expect(runs).to.equal(2);
    task.soon();
    task.cancel();
    expect(time.pending).to.equal(0);
  });
});
