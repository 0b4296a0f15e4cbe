import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import type { Ownership } from '../../src/devices/ownership.js';
import { DIE, openFleetStage } from '../support/fleet-stage.js';
import { keeper } from '../support/keep.js';
import { Consumer, has, startMosquitto } from '../support/mqtt.js';

const OTHER_DIE = 'D1:CE:00:00:00:02';
const RACES = 100;
const OWNER = `airbench/dice/devices/${DIE}/owner`;

/** Looks again in each turn of the event loop. */
const until = async (check: () => boolean): Promise<void> => {
  while (!check()) await setImmediate();
};

describe('Two servers on Mosquitto', () => {
  const keep = keeper();

  it(`give the same free die to one of them with one link, and 409 to the other, ${RACES} times`, async function () {
    const { port } = keep(await startMosquitto(this));
    const consumer = keep(await Consumer.of(port, 'airbench/dice/#'));
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
    const { servers, links } = keep(await openFleetStage(port, ['one', 'two'], { owning: together }));
    await consumer.each(...servers.map(({ name }) => [`airbench/dice/servers/${name}`] as const));
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
        if (race > 0 && has({ state: 'claimed' })(value)) claims += 1;
        if (has({ state: 'released', name: won.name })(value)) break;
      }
      for (const { fleet } of servers) await until(() => E.isRight(fleet.ownership.check(DIE)));
    }
    expect(claims, 'claims that were under way at once').to.equal(2 * RACES);
    expect(links()).to.equal(0);
  });
});
