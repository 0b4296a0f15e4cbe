/** Random histories of servers, radios and a broker, each with a device that takes few links. */
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { seededRng } from '../../simulators/radio/index.js';
import { topicsOf } from '../../src/contract/topics.js';
import { rows } from '../support/rows.js';
import { DEVICE, historiesOf, TAKEN_MS } from '../support/fake-fleet.js';
import {
  FleetWorld,
  LAST_CHANGE_MS,
  type FleetWorldOptions,
  type RadioMember,
} from '../support/fleet-world.js';

/** The time until a radio notices that a link has ended: an adapter, a proxy that connects, and the client of a vanished proxy, ms. */
const NOTICES_MS = [500, 4_000, 10_000, 90_000] as const;
const PAUSE_MS = 250;
/** The time after which all retained messages are true, ms. */
const TRUE_MS = 15_000;
/** The longest pause of a server before it writes a description again, after as many as fit the time for which a loss is not noticed, ms. */
const REWRITE_MS = 160_000;
/** A server asks its neighbours for two seconds before it answers. */
const ANSWER_MS = 3_000;

const DESCRIPTION = `homeassistant/device/airbench_${DEVICE.replaceAll(':', '').toLowerCase()}/config`;

type Action = (world: FleetWorld, server: number, chance: number) => void;

const noticeOf = (chance: number): number => NOTICES_MS[chance % NOTICES_MS.length] ?? 0;

const ACTIONS: Readonly<Record<string, Action>> = {
  want: (world, server) => world.memberOf(server).want(),
  disconnect: (world, server) => world.memberOf(server).disconnect(),
  lose: (world, server, chance) => world.memberOf(server).lose(noticeOf(chance)),
  cut: (world, server) => world.memberOf(server).cut(),
  connect: (world, server) => world.memberOf(server).connect(),
  will: (world) => world.broker.publishWill(),
  kill: (world, server) => world.restart(server, 'die'),
  stop: (world, server) => world.restart(server, 'stop'),
  namesake: (world, server) => {
    world.startNamesake(server);
    world.memberOf(server).hasDismissed = false;
  },
  'a message is repeated': (world, _server, chance) => {
    world.broker.repeat(chance / 61);
    for (const member of world.members) member.hasDismissed = false;
  },
  'broker restarts': (world) => world.restartBroker('kept'),
  'broker forgets': (world) => world.restartBroker('none'),
  'broker is restored': (world) => {
    world.restartBroker('old');
    for (const member of world.members) member.hasDismissed = false;
  },
  'broker is saved': (world) => world.keepSnapshot(),
};

interface History {
  readonly servers: number;
  readonly steps: readonly (readonly [server: number, action: string, pauses: number])[];
  /** Decides how long messages and links take. */
  readonly seed: number;
}

const anyHistory: fc.Arbitrary<History> = fc.record({
  servers: fc.integer({ min: 2, max: 5 }),
  steps: fc.array(
    fc.tuple(fc.nat({ max: 4 }), fc.constantFrom('want', ...Object.keys(ACTIONS)), fc.nat({ max: 60 })),
    { minLength: 5, maxLength: 30, size: 'max' },
  ),
  seed: fc.nat(),
});

const jsonOn = ({ broker }: FleetWorld, topic: string): unknown =>
  JSON.parse(broker.retainedOn(topic) ?? 'null');

/** Compares the messages below the name of a server with the server. */
const expectTruth = (world: FleetWorld, { name, run, session, topics }: RadioMember): void => {
  const online = jsonOn(world, topics.server);
  expect(online, `the status of ${name}`).to.include({ status: 'online', run });
  expect(
    {
      devices: jsonOn(world, topics.devices),
      state: jsonOn(world, topics.state(DEVICE)),
      availability: world.broker.retainedOn(topics.availability(DEVICE)),
    },
    `the messages of ${name}`,
  ).to.deep.equal({
    devices: { devices: session === undefined ? [] : [DEVICE] },
    state: session === undefined ? null : { server: run },
    availability: session && (session.isLinked ? 'online' : 'offline'),
  });
};

const linkedIn = ({ members }: FleetWorld): readonly RadioMember[] =>
  members.filter(({ session }) => session?.isLinked === true);

/** The servers that answer a command to the device. */
const answering = async (world: FleetWorld): Promise<readonly string[]> => {
  const id = `command ${Math.random()}`;
  const answers: string[] = [];
  const publish = world.broker.publish.bind(world.broker);
  world.broker.publish = (publication) => {
    publish(publication);
    const { topic, payload } = publication;
    for (const { name, topics } of world.members)
      if (topic === topics.result && payload.includes(id)) answers.push(name);
  };
  const { deviceCommands } = topicsOf('airbench', 'dice', '');
  publish({
    topic: `${deviceCommands(DEVICE)}/any`,
    payload: Buffer.from(JSON.stringify({ id })),
    retain: false,
  });
  await world.pass(ANSWER_MS + 4 * TRUE_MS);
  world.broker.publish = publish;
  return answers;
};

type Circumstances = Omit<FleetWorldOptions, 'servers' | 'random'>;

const expectTruthAfter = async (
  { servers, steps, seed }: History,
  circumstances: Circumstances,
): Promise<void> => {
  const { tripMs } = circumstances;
  const world = new FleetWorld({ servers, random: seededRng(seed), ...circumstances });
  for (const member of world.members) member.connect();
  for (const [server, action, pauses] of steps) {
    ACTIONS[action]?.(world, server, pauses);
    await world.pass(pauses * PAUSE_MS);
  }
  const hadNamesakes = world.endNamesakes();
  if (hadNamesakes) await world.settle(TAKEN_MS + 4 * tripMs);
  await world.settle(Math.max(...NOTICES_MS) + LAST_CHANGE_MS + TRUE_MS + 8 * tripMs);
  for (const member of world.members) expectTruth(world, member);
  await world.settle(REWRITE_MS);
  for (const member of world.members) expectTruth(world, member);
  const linked = linkedIn(world).map(({ name }) => name);
  const description = world.broker.retainedOn(DESCRIPTION) ?? '';
  const described = linked.filter((name) => description.includes(`/servers/${name}/devices/`));
  expect(described.length, `the linked server in ${description}`).to.equal(Math.min(1, linked.length));
  for (const { name, hasDismissed } of world.members)
    if (hasDismissed) expect(description).not.to.contain(`/servers/${name}/devices/`);
  expect([...(await answering(world))].sort(), 'the servers that answer').to.deep.equal([...linked].sort());
  world.close();
};

const holdIn = (circumstances: Circumstances): Promise<void> =>
  fc.assert(
    fc.asyncProperty(anyHistory, (history) => expectTruthAfter(history, circumstances)),
    { numRuns: historiesOf(65) },
  );

/** Short histories, each of which has untrue messages at its end without one rule: the title, the seed, and the steps. */
const SEEDED = rows(
  3,
  `
  a server is killed with a link                           | 0 | 0 want 30, 0 kill 0
  the last will comes after the next connection            | 0 | 0 cut 0, 0 connect 0, 1 want 12
  a session begins while the server connects               | 0 | 0 want 4
  the connection is lost with the removal of a description | 0 | 0 want 30, 0 disconnect 1, 0 cut 4
  a description of a lost link comes late                  | 7 | 2 want 1, 0 want 1, 2 lose 33
  `,
);

const stepOf = (text: string): History['steps'][number] => {
  const [server, action = '', pauses] = text.split(' ');
  return [Number(server), action, Number(pauses)];
};

describe('Servers on a broker have true retained messages, and each with a link answers a command once', () => {
  for (const [title, seed, steps] of SEEDED)
    it(`if ${title}`, () =>
      expectTruthAfter(
        { servers: 3, steps: steps.split(', ').map(stepOf), seed: Number(seed) },
        { links: 1, tripMs: 1_000 },
      ));
});

describe('Servers on a broker have true retained messages, and each with a link answers a command once, in any history', () => {
  it('if messages take up to one second each way', () => holdIn({ links: 1, tripMs: 1_000 }));

  it('if messages take up to ten seconds each way', () => holdIn({ links: 1, tripMs: 10_000 }));

  it('if the device takes two links', () => holdIn({ links: 2, tripMs: 1_000 }));
});
