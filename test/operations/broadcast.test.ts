import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { parseError } from '../../src/codecs/index.js';
import { LONGEST_MS, MOST_EVENTS } from '../../src/operations/broadcast.js';
import { SLICE_MS } from '../../src/async/slices.js';
import { Broadcast, type Receiver } from '../../src/operations/index.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

/** A client whose messages are written when a test says so. */
class Client implements Receiver {
  heard: unknown[] = [];
  readonly full = true;
  /** The tasks that wait for the messages before to be written. */
  private readonly waiting: (() => void)[] = [];
  readonly connection = {
    send: (text: string, written?: () => void): void => {
      this.heard.push(JSON.parse(text));
      if (written !== undefined) this.waiting.push(written);
    },
  };

  /** All that was sent is written; true if something waited for that. */
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
      ({ seq }) => `told ${seq}`,
    );

  it('sends each the form that it asked for, made once, with time, number and instance', () => {
    let made = 0;
    const plain: unknown[] = [];
    const plainly = {
      full: false,
      connection: { send: (text: string) => void plain.push(JSON.parse(text)) },
    };
    const other = new Client();
    broadcast.publish(
      'a',
      [client, plainly, other],
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
    for (const position of [
      { since: 3, instance: INSTANCE },
      { since: 0, instance: INSTANCE },
      { since: 4, instance: 'before' },
    ]) {
      expect(broadcast.position(position)).to.deep.equal(E.right(position));
    }
    for (const [query, message] of [
      [{ since: 3 }, 'instance is missing: it must be given with since'],
      [{ instance: INSTANCE }, 'since is missing: it must be given with instance'],
      [{ since: 4, instance: INSTANCE }, 'since must be a whole number from 0 to 3, got 4'],
    ] as const) {
      expect(broadcast.position(query)).to.deep.equal(E.left(parseError(message)));
    }
  });

  it('sends a client that comes back the events that it missed, then the new ones', () => {
    publish(5);
    broadcast.resume(client, { since: 2, instance: INSTANCE }, all);
    publish(2, 'a', [client]);
    expect(client.heard).to.deep.equal([3, 4, 5, 6, 7]);
  });

  it('sends nothing twice to a client that has missed nothing', () => {
    publish(5);
    broadcast.resume(client, { since: 5, instance: INSTANCE }, all);
    publish(1, 'a', [client]);
    expect(client.heard).to.deep.equal([6]);
  });

  it('sends the wanted events alone, and none that were for another client', () => {
    publish(2, 'a');
    publish(2, 'b');
    tell(new Client());
    publish(1, 'a');
    broadcast.resume(client, { since: 0, instance: INSTANCE }, (source) => source === 'a');
    expect(client.heard).to.deep.equal([1, 2, 6]);
  });

  it('goes on when the events before are written; what is published meanwhile comes in its turn', () => {
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

  it('leaves time for others, however many come back at once', async () => {
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
    for (const one of clients) broadcast.resume(one, { since: 0, instance: INSTANCE }, all);
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

  it('does what waits for a client when that has all, and at once for any other', () => {
    const told = new Client();
    publish(1_000);
    broadcast.resume(client, { since: 0, instance: INSTANCE }, all);
    for (const receiver of [client, told]) broadcast.onceCurrent(receiver, () => tell(receiver));
    expect(told.heard).to.deep.equal(['told 1001']);
    publish(1);
    client.writeAll();
    expect(client.heard.slice(-3)).to.deep.equal([1_000, 1_002, 'told 1003']);
    broadcast.onceCurrent(client, () => tell(client));
    expect(client.heard.at(-1)).to.equal('told 1004');
  });

  it('sends first which events are not kept any more', () => {
    publish(5);
    time.advance(LONGEST_MS + 1);
    publish(2);
    broadcast.resume(client, { since: 2, instance: INSTANCE }, all);
    expect(client.heard).to.deep.equal([{ from: 3, to: 5, seq: 5, instance: INSTANCE }, 6, 7]);
  });

  it('sends no EventsMissed for events that are not wanted', () => {
    publish(2, 'a');
    publish(3, 'b');
    time.advance(LONGEST_MS + 1);
    publish(1, 'a');
    broadcast.resume(client, { since: 2, instance: INSTANCE }, (source) => source === 'a');
    expect(client.heard).to.deep.equal([6]);
  });

  it('sends no EventsMissed to a client that has them', () => {
    publish(5);
    time.advance(LONGEST_MS + 1);
    broadcast.resume(client, { since: 5, instance: INSTANCE }, all);
    expect(client.heard).to.deep.equal([]);
  });

  it('sends EventsMissed again to a slow reader, for which events are forgotten meanwhile', () => {
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

  it('sends EventsMissed without an end after a restart, then all events that it has', () => {
    publish(2);
    broadcast.resume(client, { since: 40, instance: 'before' }, all);
    publish(1, 'a', [client]);
    expect(client.heard).to.deep.equal([{ from: 41, to: null, seq: 0, instance: INSTANCE }, 1, 2, 3]);
  });

  it('sends EventsMissed once, even if the first events since the restart are forgotten too', () => {
    publish(2);
    time.advance(LONGEST_MS + 1);
    publish(1);
    broadcast.resume(client, { since: 0, instance: 'before' }, all);
    expect(client.heard).to.deep.equal([{ from: 1, to: null, seq: 2, instance: INSTANCE }, 3]);
  });
});
