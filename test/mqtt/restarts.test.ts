/** Mosquitto, killed again and again while a die is tapped. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { RED, startFixture } from '../support/dice-fixture.js';
import { keeper } from '../support/keep.js';
import { Consumer, fleetOn, retainedOn, startMosquitto } from '../support/mqtt.js';
import { steppedTime } from '../support/stepped-time.js';

const TIMES = 10;
/** The number of messages that a consumer receives between two kills. */
const HEARD = 200;
const TAPS_AT_ONCE = 5;
/** The pause before the first retry after a loss, ms: half of the longest pause, since `random` returns 0. */
const PAUSE_MS = 250;

const SERVER = 'airbench/dice/servers/one';
const DIE = `${SERVER}/devices/${RED}`;

interface Event {
  readonly kind: string;
  readonly seq: number;
}

describe('A server on a broker that is killed and started again under load', () => {
  const keep = keeper();

  it('has each event delivered once or counts it as dropped, and retains the right state', async function () {
    const broker = keep(await startMosquitto(this));
    const time = steppedTime();
    const { fleet, dropped } = keep(fleetOn(broker.port, 'dice', { time }));
    const seqs: number[] = [];
    const isEvent = ({ topic }: { readonly topic: string }): boolean => topic === `${DIE}/events`;
    const listen = async (): Promise<Consumer> => {
      // At QoS 1 a broker keeps messages without an acknowledgement, and loses them when it is killed.
      const consumer = keep(
        await Consumer.of(broker.port, '#', { protocolVersion: 5, reconnectPeriod: 0 }, 0),
      );
      consumer.client.on('message', (topic, payload) => {
        if (isEvent({ topic })) seqs.push((JSON.parse(payload.toString()) as Event).seq);
      });
      return consumer;
    };
    let consumer = await listen();
    await consumer.next(({ topic }) => topic === SERVER);
    const fixture = keep(await startFixture({ fleet }));
    const { die } = await fixture.die(RED);

    const over = new AbortController();
    const load = (async () => {
      while (!over.signal.aborted) {
        for (let count = 0; count < TAPS_AT_ONCE; count++) die.say({ _tag: 'Tap' });
        await new Promise((resolve) => setTimeout(resolve));
      }
    })();
    for (let restart = 0; restart < TIMES; restart++) {
      for (let count = 0; count < HEARD; count++) await consumer.next(isEvent);
      await broker.kill();
      await broker.start();
      // The consumer connects before the server, or the broker would have nobody to deliver to.
      consumer = await listen();
      await time.pass(PAUSE_MS);
    }
    await consumer.next(isEvent);
    over.abort();
    await load;
    die.say({ _tag: 'DoubleTap' });
    await consumer.next((message) => isEvent(message) && (message.value as Event).kind === 'DoubleTap');

    const { seq } = (await fixture.get('/health')).body as { readonly seq: number };
    expect(new Set(seqs).size, 'no event twice').to.equal(seqs.length);
    const missing = seq - seqs.length;
    expect(missing, 'events while there was no broker').to.be.greaterThan(0);
    expect(await dropped()).to.be.at.least(missing);

    const topics = [SERVER, `${DIE}/state`, `${DIE}/availability`];
    const late = await listen();
    // The consumer may connect before the server has published all messages.
    await late.each(...topics.map((topic) => [topic] as const));
    const [status, state, availability] = await retainedOn(broker.port, ...topics);
    expect(status).to.include({ status: 'online' });
    expect(state).to.include({ connected: true });
    expect(availability).to.equal('online');
  });
});
