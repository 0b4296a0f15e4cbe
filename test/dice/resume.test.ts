import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { seededRng } from '../../simulators/radio/medium/rng.js';
import { MOST_EVENTS } from '../../src/operations/broadcast.js';
import type { Listener } from '../../simulators/testing/internal/listener.js';
import { type DiceFixture, eachFixture, GREEN, RED, startFixture } from '../support/dice-fixture.js';
import type { FakeDie } from '../support/fake-die.js';

interface Position {
  readonly seq: number;
  readonly instance: string;
}

const since = ({ seq, instance }: Position): string => `?since=${seq}&instance=${instance}`;

const INSTANCE = 'id-0';

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const seqsOf = (events: readonly unknown[]): readonly number[] =>
  events.map((event) => (event as Position).seq);

const tap = (die: FakeDie, times = 1): void => {
  for (let n = 0; n < times; n++) die.say({ _tag: 'Tap' });
};

describe('GET /ws?since=&instance=', () => {
  let fixture: DiceFixture;
  eachFixture((started) => (fixture = started));

  it('sends events of the sessions in the query alone, even of ended sessions', async () => {
    const red = await fixture.die(RED);
    const green = await fixture.die(GREEN);
    tap(green.die);
    tap(red.die);
    await fixture.post('/api/disconnect', { session_id: red.id });
    const client = await fixture.listen(`${since({ seq: 0, instance: INSTANCE })}&session_id=${red.id}`);
    tap(green.die);
    await fixture.server.close();
    expect(await client.closed).to.equal(1001);
    expect(client.unread).to.have.length(2);
    expect(client.unread[0]).to.include({ kind: 'Tap', seq: 2, session_id: red.id });
    expect(client.unread[1]).to.include({ kind: 'Disconnected', seq: 3, session_id: red.id });
  });

  it('sends all kept events to a client that does not read for a while', async () => {
    const { die } = await fixture.die(RED);
    tap(die, MOST_EVENTS);
    const client = await fixture.listen(since({ seq: 0, instance: INSTANCE }));
    client.socket.pause();
    await fixture.get('/health');
    tap(die);
    client.socket.resume();
    const events = await client.take(MOST_EVENTS + 1);
    expect(seqsOf(events)).to.deep.equal(numbers(1, MOST_EVENTS + 1));
  });
});

describe('A client that comes back', () => {
  const EVENTS = 5_000;
  const RECONNECTS = 200;
  /** How many events the die may be ahead of the client. */
  const LEAD = 400;

  it(`gets ${EVENTS} events once, in order, over ${RECONNECTS} connections, and EventsMissed after a restart`, async () => {
    const [ofDie, ofClient] = [seededRng(1), seededRng(2)];
    const upTo = (most: number): number => 1 + Math.floor(ofClient() * most);
    const fixture = await startFixture();
    const { die } = await fixture.die(RED);
    let last = (await fixture.get('/health')).body as Position;
    const received: unknown[] = [];

    /** Receives `count` events, and then cuts the connection. */
    const visit = async (count: number): Promise<void> => {
      const client = await fixture.listen(since(last));
      const events = await client.take(count);
      client.socket.terminate();
      received.push(...events);
      last = events.at(-1) as unknown as Position;
    };

    const roll = async (): Promise<void> => {
      for (let said = 0; said < EVENTS; said += 2) {
        die.say({ _tag: 'RollStart' }, { _tag: 'Stable', acceleration: { x: 0, y: 0, z: -64 } });
        if (ofDie() < 0.2) await turn();
        while (said - received.length > LEAD) await turn();
      }
    };

    const listen = async (): Promise<void> => {
      for (let visits = 0; visits < RECONNECTS; visits++) {
        const left = (EVENTS - received.length) / (RECONNECTS + 1 - visits);
        await visit(upTo(2 * left - 1));
        for (let turns = upTo(10); turns > 1; turns--) await turn();
      }
      await visit(EVENTS - received.length);
    };

    await Promise.all([roll(), listen()]);
    expect(seqsOf(received)).to.deep.equal(numbers(1, EVENTS));
    expect(received.map((event) => (event as { readonly kind: string }).kind)).to.deep.equal(
      numbers(1, EVENTS).map((seq) => (seq % 2 === 1 ? 'RollStart' : 'Stable')),
    );
    await fixture.close();

    const restarted = await startFixture({ firstId: 1_000 });
    const again = await restarted.die(RED);
    tap(again.die);
    const client: Listener = await restarted.listen(since(last));
    tap(again.die);
    const [missed, ...news] = await client.take(3);
    expect(missed).to.deep.include({
      ...{ kind: 'EventsMissed', from: EVENTS + 1, to: null },
      ...{ seq: 0, instance: 'id-1000' },
    });
    expect(seqsOf(news)).to.deep.equal([1, 2]);
    await restarted.close();
  });
});
