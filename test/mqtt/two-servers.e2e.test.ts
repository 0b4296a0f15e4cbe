/** Two servers and a die on Mosquitto: one is cut off from the broker and from the die, or both want the die at once. */
import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { before, beforeEach, describe, it } from 'mocha';
import type { Ownership } from '../../src/devices/ownership.js';
import { DIE, openPair, type Pair } from '../support/fleet-stage.js';
import { right } from '../support/either.js';
import { startTcp } from '../../features/support/loopback.js';
import { keeper } from '../support/keep.js';
import { has, is, retainedOn, startMosquitto } from '../support/mqtt.js';
import { requireProgram } from '../support/require.js';

const ROOT = 'airbench/dice';
const STATE = `${ROOT}/devices/${DIE}/state`;
const AVAILABILITY = `${ROOT}/devices/${DIE}/availability`;
const OWNER = `${ROOT}/devices/${DIE}/owner`;
const CONFIG = 'homeassistant/device/airbench_d1ce00000001/config';

/** A relay to a broker that can be shut and opened again. */
const openGate = async (port: number) => {
  let isOpen = true;
  const server = await startTcp((socket) => {
    if (isOpen) pipeline(socket, connect(port, '127.0.0.1'), socket, () => undefined);
    else socket.destroy();
  });
  return {
    port: server.port,
    shut: () => {
      isOpen = false;
      for (const socket of server.sockets) socket.destroy();
    },
    open: () => (isOpen = true),
    close: server.close,
  };
};

describe('A die of a server that loses broker and link', () => {
  const keep = keeper();
  let port: number;
  let gate: Awaited<ReturnType<typeof openGate>>;
  let pair: Pair;

  before(function () {
    requireProgram(this, 'mosquitto');
  });

  beforeEach(async function () {
    ({ port } = keep(await startMosquitto(this)));
    gate = keep(await openGate(port));
    pair = await openPair(keep, port, { homeAssistant: 'homeassistant' }, gate.port);
  });

  const isOnline = is('online');
  const epochOf = (value: unknown): unknown => (value as { readonly epoch: unknown }).epoch;

  const retained = (...topics: readonly string[]) => retainedOn(port, ...topics);

  const expectDieOf = async (name: string): Promise<void> => {
    const [owner, state, availability, config] = await retained(OWNER, STATE, AVAILABILITY, CONFIG);
    expect(owner).to.include({ name, state: 'owned' });
    expect(state).to.include({ connected: true, epoch: epochOf(owner) });
    expect(availability).to.equal('online');
    expect(JSON.stringify(config), "the config is the owner's").to.include(`${ROOT}/servers/${name}"`);
  };

  it('belongs to the server that has connected it meanwhile when the first server is back', async () => {
    const { consumer, world, one, two } = pair;
    right(world.setReception(DIE, { inRange: false }, two.adapterId));
    expect((await one.connect()).status).to.equal(200);
    await consumer.on(AVAILABILITY, isOnline);
    const first = epochOf((await retained(OWNER))[0]);
    gate.shut();
    right(world.setReception(DIE, { inRange: false }, one.adapterId));
    right(world.setReception(DIE, { inRange: true }, two.adapterId));
    await consumer.on(`${ROOT}/servers/one`);
    let answer = await two.connect();
    while (answer.status !== 200) answer = await two.connect();
    await consumer.on(AVAILABILITY, isOnline);
    expect(epochOf((await retained(OWNER))[0])).to.be.greaterThan(Number(first));
    gate.open();
    await consumer.on(`${ROOT}/servers/one`, has({ status: 'online' }));
    while ((await one.sessions()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await expectDieOf('two');
  });

  it('is published again by its owner when others overwrite its state, availability or owner', async () => {
    const { consumer, one } = pair;
    expect((await one.connect()).status).to.equal(200);
    await consumer.on(AVAILABILITY, isOnline);
    await consumer.say(AVAILABILITY, 'offline', { retain: true });
    await consumer.on(AVAILABILITY, is('offline'));
    await consumer.on(AVAILABILITY, isOnline);
    await consumer.say(STATE, '', { retain: true });
    await consumer.on(STATE, is(undefined));
    await consumer.on(STATE, (value) => value !== undefined);
    await consumer.say(OWNER, { ...((await retained(OWNER))[0] as object), name: 'two' }, { retain: true });
    await consumer.on(OWNER, has({ name: 'two' }));
    const epoch = epochOf(await consumer.on(OWNER, has({ name: 'one' })));
    await consumer.on(STATE, has({ epoch }));
    await expectDieOf('one');
  });
});

const OTHER_DIE = 'D1:CE:00:00:00:02';
const RACES = 100;

/** Resolves when `check` is true, after a check in each turn of the event loop. */
const until = async (check: () => boolean): Promise<void> => {
  while (!check()) await turn();
};

describe('Two servers on Mosquitto', () => {
  const keep = keeper();

  it(`connect the same free die once and refuse the other request with 409, ${RACES} times`, async function () {
    const { port } = keep(await startMosquitto(this));
    let waiting: (() => void)[] = [];
    /** Delays each claim until both servers are about to claim. */
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
    const { servers, links, consumer } = await openPair(keep, port, { owning: together });
    // A server that has just connected learns the owners of others before it claims a device.
    const joined = await Promise.all(
      servers.map(({ fleet }) => fleet.ownership.claim(OTHER_DIE, new AbortController().signal)()),
    );
    expect(joined.filter(E.isRight)).to.have.length(1);
    let claims = 0;
    // In race 0 a server that begins to listen to the die's owner may receive the other server's claim before it makes its own.
    for (let race = 0; race <= RACES; race += 1) {
      const answers = await Promise.all(servers.map(({ connect }) => connect()));
      const winner = answers.findIndex(({ status }) => status === 200);
      const won = servers[winner];
      const [granted, refused] = [answers[winner], answers[1 - winner]];
      if (won === undefined || granted === undefined || refused === undefined)
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
      expect((await won.disconnect(granted)).status).to.equal(200);
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
