import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { parseError } from '../../src/codecs/index.js';
import { LONGEST_MS, MOST_EVENTS, openEventHistory } from '../../src/operations/broadcast.js';
import { SLICE_MS } from '../../src/async/slices.js';
import { Broadcast, type Receiver } from '../../src/operations/index.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

/** A client whose messages a test writes. */
class Client implements Receiver {
  heard: unknown[] = [];
  readonly full = true;
  /** The callbacks of messages that are not written yet. */
  private readonly waiting: (() => void)[] = [];
  readonly connection = {
    send: (text: string, written?: () => void): void => {
      this.heard.push(JSON.parse(text));
      if (written !== undefined) this.waiting.push(written);
    },
  };

  /** Writes all sent messages; true if a callback waited for one. */
  write(): boolean {
    const written = this.waiting.shift();
    written?.();
    return written !== undefined;
  }

  writeAll(): void {
    while (this.write());
  }
}

const INSTANCE = 'now';
const all = (): boolean => true;

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

describe('A broadcast', () => {
  let time: ManualTime;
  let broadcast: Broadcast;
  let client: Client;
  beforeEach(() => {
    time = manualTime();
    broadcast = new Broadcast(time, INSTANCE, (missed, { seq, instance }) => ({ ...missed, seq, instance }));
    client = new Client();
  });

  /** Publishes events that are their numbers. */
  const publish = (count: number, source = 'a', receivers: readonly Receiver[] = []): void => {
    for (let n = 0; n < count; n++) {
      broadcast.publish(
        source,
        receivers,
        () => 'plain',
        ({ seq }) => seq,
      );
    }
  };

  const tell = (receiver: Receiver): void =>
    broadcast.tell(
      receiver,
      () => 'plain',
      ({ seq }) => `only ${seq}`,
    );

  it('sends each receiver the form of its choice, made once, with time, number and instance', () => {
    let made = 0;
    const plain: unknown[] = [];
    const plainReceiver = {
      full: false,
      connection: { send: (text: string) => void plain.push(JSON.parse(text)) },
    };
    const other = new Client();
    broadcast.publish(
      'a',
      [client, plainReceiver, other],
      () => 'plain',
      (stamp) => {
        made += 1;
        return { ...stamp };
      },
    );
    const stamp = { time: '1970-01-01T00:00:00.000Z', seq: 1, instance: INSTANCE };
    expect([client.heard, other.heard, plain, made]).to.deep.equal([[stamp], [stamp], ['plain'], 1]);
    expect([broadcast.seq, broadcast.instance]).to.deep.equal([1, INSTANCE]);
  });

  it('reads the position of a client that comes back, and refuses an invalid one', () => {
    publish(3);
    expect(broadcast.position({})).to.deep.equal(E.right(undefined));
    const right = [3, 0].map((since) => ({ since, instance: INSTANCE }));
    for (const position of [...right, { since: 4, instance: 'before' }])
      expect(broadcast.position(position)).to.deep.equal(E.right(position));
    for (const [query, message] of [
      [{ since: 3 }, 'instance is missing: it must be given with since'],
      [{ instance: INSTANCE }, 'since is missing: it must be given with instance'],
      [{ since: 4, instance: INSTANCE }, 'since must be a whole number from 0 to 3, got 4'],
    ] as const) {
      expect(broadcast.position(query)).to.deep.equal(E.left(parseError(message)));
    }
  });

  const isOfA = (source: string): boolean => source === 'a';
  const before = 'before';
  /** In `script` a letter is an event of that source, `-` an event for another client, `!` the time after which events are forgotten. */
  const RESUMED: readonly (readonly [
    title: string,
    script: string,
    since: number,
    heard: readonly unknown[],
    more?: { readonly wants?: (source: string) => boolean; readonly instance?: string },
  ])[] = [
    ['the events that it missed, then the new ones', 'aaaaa', 2, [3, 4, 5, 6, 7]],
    ['no event twice if it has missed none', 'aaaaa', 5, [6, 7]],
    [
      'only the wanted events, without the events for another client',
      'aabb-a',
      0,
      [1, 2, 6, 7, 8],
      { wants: isOfA },
    ],
    ['EventsMissed for forgotten events first', 'aaaaa!aa', 2, [{ from: 3, to: 5, seq: 5 }, 6, 7, 8, 9]],
    ['no EventsMissed for events that are not wanted', 'aabbb!a', 2, [6, 7, 8], { wants: isOfA }],
    ['no EventsMissed if it has the forgotten events', 'aaaaa!', 5, [6, 7]],
    [
      'EventsMissed without an end after a restart, then all events that are kept',
      ...(['aa', 40, [{ from: 41, to: null, seq: 0 }, 1, 2, 3, 4], { instance: before }] as const),
    ],
    [
      'EventsMissed once, even if the first events since the restart are forgotten too',
      ...(['aa!a', 0, [{ from: 1, to: null, seq: 2 }, 3, 4, 5], { instance: before }] as const),
    ],
  ];
  for (const [title, script, since, heard, { wants = all, instance = INSTANCE } = {}] of RESUMED)
    it(`sends a client that comes back ${title}`, () => {
      for (const step of script)
        if (step === '!') time.advance(LONGEST_MS + 1);
        else if (step === '-') tell(new Client());
        else publish(1, step);
      broadcast.resume(client, { since, instance }, wants);
      publish(2, 'a', [client]);
      const full = heard.map((event) =>
        typeof event === 'object' ? { ...event, instance: INSTANCE } : event,
      );
      expect(client.heard).to.deep.equal(full);
    });

  it('sends more missed events when the previous ones are written, and new events after them', () => {
    publish(1_000);
    broadcast.resume(client, { since: 0, instance: INSTANCE }, all);
    expect(client.heard).to.have.length.below(1_000);
    let published = 0;
    do {
      publish(10, 'a', [client]);
      published += 10;
    } while (client.write());
    expect(client.heard).to.deep.equal(numbers(1, 1_000 + published));
  });

  it('leaves time for other work, however many clients come back at once', async () => {
    publish(256);
    /** Each message takes so long that a piece takes a slice. */
    class SlowClient extends Client {
      override readonly connection = {
        send: (text: string): void => {
          this.heard.push(JSON.parse(text));
          time.advance(SLICE_MS / 256);
        },
      };
    }
    const clients = [new SlowClient(), new SlowClient(), new SlowClient()];
    for (const slow of clients) broadcast.resume(slow, { since: 0, instance: INSTANCE }, all);
    const counts: (readonly number[])[] = [];
    for (let turn = 0; turn < 3; turn++) {
      counts.push(clients.map(({ heard }) => heard.length));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(counts).to.deep.equal([
      [256, 0, 0],
      [256, 256, 0],
      [256, 256, 256],
    ]);
  });

  it('runs the tasks for a client when it has all missed events, and at once for any other client', () => {
    const other = new Client();
    publish(1_000);
    broadcast.resume(client, { since: 0, instance: INSTANCE }, all);
    for (const receiver of [client, other]) broadcast.onceCurrent(receiver, () => tell(receiver));
    expect(other.heard).to.deep.equal(['only 1001']);
    publish(1);
    client.writeAll();
    expect(client.heard.slice(-3)).to.deep.equal([1_000, 1_002, 'only 1003']);
    broadcast.onceCurrent(client, () => tell(client));
    expect(client.heard.at(-1)).to.equal('only 1004');
  });

  it('sends EventsMissed again to a slow reader, if events are forgotten meanwhile', () => {
    publish(MOST_EVENTS);
    broadcast.resume(client, { since: 0, instance: INSTANCE }, all);
    const begun = client.heard.length;
    publish(begun + 5);
    client.writeAll();
    expect(client.heard).to.deep.equal([
      ...numbers(1, begun),
      { from: begun + 1, to: begun + 5, seq: begun + 5, instance: INSTANCE },
      ...numbers(begun + 6, MOST_EVENTS + begun + 5),
    ]);
  });
});

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

  const seqsAfter = (seq: number): readonly number[] => history.read(seq, all, MOST_EVENTS).texts.map(Number);

  it('makes a text only when it is read', () => {
    let made = 0;
    history.record('a', () => String((made += 1)));
    expect(made).to.equal(0);
    seqsAfter(0);
    expect(made).to.equal(1);
  });

  it('counts forgotten events as wanted after events of a thousand other sources', () => {
    const wantsNone = (): boolean => false;
    for (let source = 1; source <= 1_000; source++) record(1, `${source}`);
    time.advance(LONGEST_MS + 1);
    expect(history.lost(0, wantsNone)).to.equal(0);
    record(2, 'another');
    time.advance(LONGEST_MS + 1);
    expect([history.lost(0, wantsNone), history.lost(1, wantsNone)]).to.deep.equal([1, 1]);
    expect(history.lost(0, all)).to.equal(1_002);
  });

  it('forgets events when their time is over, even without new events', () => {
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
