/** Random histories of servers, radios and brokers, each with a device that takes few links. */
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { UNSEEN_MS } from '../../src/mqtt/device-views.js';
import { ANSWER_MS, SHARED_MS } from '../../src/mqtt/owners.js';
import { GHOST_MS } from '../../src/mqtt/presence.js';
import { DEVICE, historiesOf, type FakeBroker } from '../support/fake-fleet.js';
import { FleetWorld, RECONNECT_MS, type FleetWorldOptions } from '../support/fleet-world.js';

const PROMPT_MS = 500;
/** The time until a radio notices that a link has ended: an adapter, a proxy that connects, and the client of a vanished proxy, ms. */
const NOTICES_MS = [PROMPT_MS, 4_000, 10_000, 90_000] as const;
const PAUSE_MS = 250;

const DESCRIPTION = `homeassistant/device/airbench_${DEVICE.replaceAll(':', '').toLowerCase()}/config`;

type Action = (world: FleetWorld, server: number, noticeMs: number) => void;

const ACTIONS: Readonly<Record<string, Action>> = {
  want: (world, server) => void world.memberOf(server).want(),
  'reports a link that was never made': (world, server) => void world.memberOf(server).want(true),
  disconnect: (world, server) => world.memberOf(server).disconnect(),
  lose: (world, server, noticeMs) => world.memberOf(server).lose(noticeMs),
  hear: (world, server) => world.memberOf(server).hear(),
  cut: (world, server) => world.memberOf(server).cut(),
  connect: (world, server) => world.memberOf(server).connect(),
  will: (world, server) => world.brokerOf(server).publishWill(),
  kill: (world, server) => world.restart(server, 'die'),
  stop: (world, server) => world.restart(server, 'stop'),
  'broker restarts': (world, server) => world.restartBroker(server, 'kept'),
  'broker forgets': (world, server) => world.restartBroker(server, 'none'),
  'broker is restored': (world, server) => world.restartBroker(server, 'old'),
  'broker is saved': (world) => world.keepSnapshot(),
};

interface Setting extends Omit<FleetWorldOptions, 'servers' | 'random'> {
  readonly noticesMs: readonly number[];
  readonly histories: number;
}

/** The longest time for which two servers may hold a device, ms (docs/fleet.md). */
const boundOf = ({ noticesMs, links, tripMs, forwardMs }: Setting): number =>
  6_000 + 8 * tripMs + 4 * forwardMs + Math.max(...noticesMs) + (links > 1 ? SHARED_MS : 0);

const history = fc.record({
  servers: fc.integer({ min: 2, max: 5 }),
  steps: fc.array(
    fc.tuple(fc.nat({ max: 4 }), fc.constantFrom('want', ...Object.keys(ACTIONS)), fc.nat({ max: 60 })),
    { minLength: 5, maxLength: 30, size: 'max' },
  ),
  chance: fc.infiniteStream(fc.nat({ max: 999 })),
});

/** Compares the messages about the device on a broker with the servers. */
const expectTruth = (world: FleetWorld, broker: FakeBroker): void => {
  const [holder] = world.holders;
  const { owner, epoch, state, availability } = broker.retainedDevice;
  expect(owner, 'the retained owner').to.equal(holder?.name);
  for (const { name } of world.members) expect(broker.statusOf(name)).to.include('"online"');
  // A cluster may keep the other messages of a server that has ended until the next session of the device (docs/fleet.md).
  if (holder === undefined && world.brokers.length > 1) return;
  expect(state, 'the retained state').to.deep.equal(
    holder === undefined ? null : { server: holder.run, epoch },
  );
  expect(availability, 'the retained availability').to.equal(
    holder?.isLinked === true ? 'online' : 'offline',
  );
  if (holder !== undefined)
    expect(broker.retainedOn(DESCRIPTION) ?? '', 'the description').to.include(`"${holder.run}"`);
};

const expectOneOwner = (world: FleetWorld): void => {
  const names = world.holders.map(({ name }) => name);
  expect(names.length, `holders: ${names.join(', ')}`).to.be.at.most(1);
  for (const { name, owner } of world.members)
    expect(owner, `the owner of ${DEVICE} as ${name} knows`).to.equal(names[0]);
  for (const broker of world.brokers) expectTruth(world, broker);
};

const holdIn = (setting: Setting): Promise<void> => {
  const { noticesMs, histories, ...options } = setting;
  return fc.assert(
    fc.asyncProperty(history, async ({ servers, steps, chance }) => {
      const random = (): number => Number(chance.next().value) / 1_000;
      let since: number | undefined;
      const world = new FleetWorld({ servers, random, ...options }, ({ now, holders, members }) => {
        if (options.links === 1)
          expect(
            members.filter(({ wasRobbed }) => wasRobbed),
            'servers that lose a linked device',
          ).to.deep.equal([]);
        since = holders.filter(({ isOnline }) => isOnline).length < 2 ? undefined : (since ?? now);
        expect(now - (since ?? now), 'two servers hold the device, ms').to.be.at.most(boundOf(setting));
      });
      const endMs = Math.max(...noticesMs) + RECONNECT_MS + GHOST_MS + UNSEEN_MS + 20 * options.tripMs;
      for (const member of world.members) member.connect();
      for (const [server, action, pauses] of steps) {
        ACTIONS[action]?.(world, server, noticesMs[pauses % noticesMs.length] ?? PROMPT_MS);
        await world.pass(pauses * PAUSE_MS);
      }
      await world.settle(endMs);
      expectOneOwner(world);
      // A claim needs two trips to the topic and two of its own.
      if (world.holders.length === 0 && 2 * options.tripMs < ANSWER_MS) {
        void world.memberOf(0).want();
        await world.settle(endMs);
        expect(world.holders.length, 'servers that hold the device after all').to.equal(1);
        expectOneOwner(world);
      }
      world.close();
    }),
    { numRuns: historiesOf(histories) },
  );
};

describe('The servers of a fleet have one owner of a device and true retained messages in the end', () => {
  const usual = { brokers: 1, links: 1, tripMs: 1_000, forwardMs: 0, noticesMs: NOTICES_MS, histories: 100 };

  it('if radios notice lost links late', () => holdIn(usual));

  it('if messages take up to ten seconds each way', () =>
    holdIn({ ...usual, tripMs: 10_000, noticesMs: [PROMPT_MS] }));

  it('if the device takes two links', () => holdIn({ ...usual, links: 2 }));

  it('on a cluster of brokers that forward messages late and in different orders', () =>
    holdIn({ ...usual, brokers: 3, forwardMs: 4_000 }));
});
