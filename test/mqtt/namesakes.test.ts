/** Two servers with one name on a broker. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { clientIdOf } from '../../src/mqtt/open-fleet.js';
import { signalled } from '../support/bluetooth-fixture.js';
import { keeper } from '../support/keep.js';
import { Consumer, fleetOn, has, retainedOn, startAedes, startMosquitto } from '../support/mqtt.js';
import { steppedTime } from '../support/stepped-time.js';

const SERVER = 'airbench/dice/servers/one';
/** The pauses before the first retry after a loss, and after another server has taken the name, ms. */
const PAUSE_MS = 250;
const TAKEN_MS = 30_000;

const isOnline = has({ status: 'online' });
const runOf = (status: unknown): unknown => (status as { readonly run: unknown }).run;

describe('Two servers with one name', () => {
  const keep = keeper();

  /** A server called `one` that is online on the broker. */
  const started = async (port: number, consumer: Consumer) => {
    const time = steppedTime();
    const warned = signalled<string>();
    const log = pino(
      { base: null, timestamp: false },
      {
        write: (line: string) => {
          const { msg } = JSON.parse(line) as { readonly msg: string };
          if (msg.startsWith('another server')) warned.fulfil(msg);
        },
      },
    );
    const { close } = keep(fleetOn(port, 'dice', { time, log }));
    return { time, warned: warned.promise, close, run: runOf(await consumer.on(SERVER, isOnline)) };
  };
  const lineOf = (port: number): string =>
    `another server has the name "one" on the MQTT broker 127.0.0.1:${port}: ` +
    'start one of the two with another --name';

  for (const [version, start] of [
    ['MQTT 5', startMosquitto],
    ['MQTT 3.1.1', () => startAedes()],
  ] as const)
    it(`leave the broker in turn, and one serves when the other has ended, on ${version}`, async function () {
      const { port } = keep(await start(this));
      const consumer = keep(await Consumer.of(port));
      const first = await started(port, consumer);
      const second = await started(port, consumer);
      await first.time.pass(PAUSE_MS);
      await consumer.on(SERVER, has({ status: 'online', run: first.run }));
      await second.time.pass(PAUSE_MS);
      expect(await second.warned).to.equal(lineOf(port));
      await second.time.armed(TAKEN_MS);
      await second.close();
      await first.time.pass(PAUSE_MS);
      expect(await first.warned).to.equal(lineOf(port));
      // Its last wills, of the connections that the second server and it itself have ended.
      for (let will = 0; will < 2; will += 1)
        await consumer.on(SERVER, has({ status: 'offline', run: first.run }));
      await first.time.pass(TAKEN_MS);
      await consumer.on(SERVER, has({ status: 'online', run: first.run }));
      expect((await retainedOn(port, SERVER))[0]).to.include({ status: 'online', run: first.run });
    });
});

describe('The client id of a server', () => {
  it('has 23 letters and digits', () => {
    expect(clientIdOf('airbench', 'dice', 'Wohnzimmer, links')).to.match(/^[\da-z]{23}$/);
  });

  it('is another one for another name, kind or prefix', () => {
    const ids = [
      clientIdOf('airbench', 'dice', 'one'),
      clientIdOf('airbench', 'dice', 'two'),
      clientIdOf('airbench', 'clock', 'one'),
      clientIdOf('house', 'dice', 'one'),
    ];
    expect(new Set(ids).size).to.equal(ids.length);
    expect(clientIdOf('airbench', 'dice', 'one')).to.equal(ids[0]);
  });
});
