import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, describe, it } from 'mocha';
import type { Ownership } from '../../src/devices/ownership.js';
import { post } from '../support/client.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { DIE, openFleetStage, type FleetStage } from '../support/fleet-stage.js';
import type { Mosquitto } from '../../features/support/loopback.js';
import { Consumer, startMosquitto, type Heard } from '../support/mqtt.js';

const OTHER_DIE = 'D1:CE:00:00:00:02';
const RACES = 100;
const OWNER = `airbench/dice/devices/${DIE}/owner`;

/** Looks again in each turn of the event loop. */
const until = async (check: () => boolean): Promise<void> => {
  while (!check()) await setImmediate();
};

const stateIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'state' in value ? value.state : undefined;

const nameIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;

describe('Two servers on Mosquitto', () => {
  let mosquitto: Mosquitto | undefined;
  let stage: FleetStage | undefined;
  let consumer: Consumer | undefined;

  afterEach(async () => {
    await consumer?.close();
    await stage?.close();
    endPrograms();
    stage = consumer = mosquitto = undefined;
  });

  it(`give the same free die to one of them with one link, and 409 to the other, ${RACES} times`, async function () {
    mosquitto = await startMosquitto(this);
    consumer = await Consumer.of(mosquitto.port, 'airbench/dice/#');
    let waiting: (() => void)[] = [];
    /** Claims when both are about to. */
    const together = (ownership: Ownership): Ownership => ({
      ...ownership,
      claim: (address, signal) => async () => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length < 2) return;
          for (const go of waiting) go();
          waiting = [];
        });
        return ownership.claim(address, signal)();
      },
    });
    stage = await openFleetStage(mosquitto.port, ['one', 'two'], { owning: together });
    const { servers, links } = stage;
    await consumer.each(...servers.map(({ name }) => [`airbench/dice/servers/${name}`, () => true] as const));
    // One that has just connected waits for what others own before it claims anything.
    const joined = await Promise.all(
      servers.map(({ fleet }) => fleet.ownership.claim(OTHER_DIE, new AbortController().signal)()),
    );
    expect(joined.filter(E.isRight)).to.have.length(1);
    let claims = 0;
    // In race 0 a server that begins to listen to the die's owner may hear of the other's claim before it makes one.
    for (let race = 0; race <= RACES; race += 1) {
      const answers = await Promise.all(servers.map(({ connect }) => connect()));
      const winner = answers.findIndex(({ status }) => status === 200);
      const won = servers[winner];
      const [got, refused] = [answers[winner], answers[1 - winner]];
      if (won === undefined || got === undefined || refused === undefined)
        return expect.fail(`race ${race}: ${JSON.stringify(answers)}`);
      expect(refused.status, JSON.stringify(refused)).to.equal(409);
      expect(refused.body).to.include({
        code: 'owned_elsewhere',
        error: `device ${DIE} is connected by the server "${won.name}"`,
      });
      expect(links(), `links in race ${race}`).to.equal(1);
      const sessions = await Promise.all(servers.map((server) => server.sessions()));
      expect(sessions.map(({ length }) => length)[winner]).to.equal(1);
      expect(sessions.flat()).to.have.length(1);
      expect((await won.disconnect(got)).status).to.equal(200);
      for (;;) {
        const { value } = await consumer.next(({ topic }) => topic === OWNER);
        if (stateIn(value) === 'claimed' && race > 0) claims += 1;
        if (stateIn(value) === 'released' && nameIn(value) === won.name) break;
      }
      for (const { fleet } of servers) await until(() => E.isRight(fleet.ownership.check(DIE)));
    }
    expect(claims, 'claims that were under way at once').to.equal(2 * RACES);
    expect(links()).to.equal(0);
  });

  it('of which one is killed: the other gets its die as soon as the last will is published', async function () {
    mosquitto = await startMosquitto(this);
    consumer = await Consumer.of(mosquitto.port, 'airbench/dice/#');
    const air = Program.air(['--dice', '1', '--pace', 'fast']);
    const hci = await air.url('virtual radio');
    const broker = ['--mqtt', `mqtt://127.0.0.1:${mosquitto.port}`];
    const [one, two] = ['one', 'two'].map((name) => Program.server('dice', hci, [...broker, '--name', name]));
    const ports = [];
    for (const program of [one, two])
      ports.push(Number(new URL((await program?.url('dice server')) ?? '').port));
    const [first = 0, second = 0] = ports;
    const status =
      (name: string, is: string) =>
      ({ topic, value }: Heard) =>
        topic === `airbench/dice/servers/${name}` && JSON.stringify(value).includes(is);
    expect((await post(first, '/api/connect', { address: DIE })).status).to.equal(200);
    expect((await post(second, '/api/connect', { address: DIE })).status).to.equal(409);
    one?.process.kill('SIGKILL');
    await consumer.next(status('one', 'offline'));
    // The broker may tell the consumer before the other server.
    let answer = await post(second, '/api/connect', { address: DIE });
    while (answer.status === 409) answer = await post(second, '/api/connect', { address: DIE });
    expect(answer.status).to.equal(200);
    await Promise.all([two?.signal('SIGTERM'), air.signal('SIGTERM')]);
  });
});
