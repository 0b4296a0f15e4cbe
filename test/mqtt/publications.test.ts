import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { PublishOptions } from '../../src/mqtt/broker.js';
import type { MemberDevice } from '../../src/mqtt/fleet.js';
import { discoveryOf, type Appliance, type Entity } from '../../src/mqtt/home-assistant.js';
import { Publications } from '../../src/mqtt/publications.js';
import type { Standing } from '../../src/mqtt/owners.js';
import { topicsOf } from '../../src/contract/topics.js';
import { fakePeer, NO_HOME_ASSISTANT } from '../support/fake-fleet.js';

const ADDRESS = 'D1:CE:00:00:00:01';
const topics = topicsOf('airbench', 'dice', 'one');

describe('The retained messages of a server on a broker', () => {
  let published: { readonly payload: unknown; readonly settled: PublishOptions['settled'] }[];
  let face: number;
  let device: MemberDevice | undefined;
  let publications: Publications;
  let standing: Standing;
  let epoch: number;

  /** The published states, as `FACE epoch EPOCH`; empty for a cleared state. */
  const states = (): readonly unknown[] =>
    published.map(({ payload }) => String(payload).replace(/^\{"face":(\d),"epoch":(\d)\}$/, '$1 epoch $2'));

  beforeEach(() => {
    published = [];
    face = 1;
    standing = 'own';
    epoch = 4;
    device = {
      address: ADDRESS,
      isConnected: true,
      state: () => ({ face }),
      identity: {},
      homeAssistant: NO_HOME_ASSISTANT,
    };
    const peer = fakePeer(topics, 'one', {
      publish: (topic, payload, { settled } = {}) => {
        if (topic === topics.state(ADDRESS)) published.push({ payload, settled });
      },
    });
    publications = new Publications(peer, {
      member: () => ({
        devices: () => (device === undefined ? [] : [device]),
        device: () => device,
      }),
      owners: {
        ...{ held: new Map(), watch: () => undefined },
        epochOf: () => epoch,
        standing: () => standing,
      },
      discovery: undefined,
    });
  });

  const changed = (...faces: readonly number[]): void => {
    for (face of faces) publications.publish(ADDRESS);
  };

  it('are the newest state of each device as soon as the broker has acknowledged the previous state', () => {
    changed(1, 2, 3);
    expect(states()).to.deep.equal(['1 epoch 4']);
    published[0]?.settled?.();
    expect(states()).to.deep.equal(['1 epoch 4', '3 epoch 4']);
    published[1]?.settled?.();
    changed(4);
    expect(states()).to.deep.equal(['1 epoch 4', '3 epoch 4', '4 epoch 4']);
  });

  it('are published once for each state', () => {
    changed(1, 2, 1);
    published[0]?.settled?.();
    changed(1);
    expect(states()).to.deep.equal(['1 epoch 4']);
  });

  it('are cleared for a device that leaves while its state is on its way', () => {
    changed(1, 2);
    device = undefined;
    publications.publish(ADDRESS);
    published[0]?.settled?.();
    expect(states()).to.deep.equal(['1 epoch 4', '']);
  });

  it('are published again on a new connection, whatever was on its way over the old connection', () => {
    changed(1, 2);
    publications.publishAll();
    expect(states()).to.deep.equal(['1 epoch 4', '2 epoch 4']);
  });

  it('wait until the owner of a device is known, and are repeated if the owner is this server', () => {
    changed(1);
    published.splice(0);
    standing = 'unknown';
    publications.publishAll();
    changed(2);
    standing = 'elsewhere';
    publications.settle();
    changed(3);
    expect(states()).to.deep.equal([]);
    standing = 'own';
    publications.settle();
    expect(states()).to.deep.equal(['3 epoch 4']);
  });

  it('are repeated when this server owns a device again without a visible loss', () => {
    publications.settle();
    epoch = 5;
    publications.settle();
    publications.settle();
    expect(states()).to.deep.equal(['1 epoch 4', '1 epoch 5']);
  });

  it('stay when a device leaves that another server owns by then', () => {
    changed(1);
    device = undefined;
    standing = 'unknown';
    publications.publishAll();
    standing = 'elsewhere';
    publications.settle();
    expect(states()).to.deep.equal(['1 epoch 4']);
  });
});

describe('The descriptions of a device for Home Assistant', () => {
  const discovery = discoveryOf('homeassistant', { topics, kind: 'dice', name: 'one' });
  const config = discovery.topic(ADDRESS);
  const timeConfig = config.replace('/device/', '/time/').replace('/config', '_start/config');
  const SENSOR = { platform: 'sensor', name: 'Face' };
  const TIME = { platform: 'time', name: 'Start' };
  let published: { readonly topic: string; readonly payload: string; readonly retain: boolean }[];
  let entities: Appliance['entities'];
  let session: MemberDevice | undefined;
  let publications: Publications;

  /** The topics below `homeassistant/` with a message since the last call, with the entities in it. */
  const sent = (): readonly unknown[] =>
    published.splice(0).flatMap(({ topic, payload, retain }) => {
      if (!topic.startsWith('homeassistant/')) return [];
      const { cmps } = JSON.parse(payload === '' ? '{}' : payload) as { readonly cmps?: object };
      const content = payload === '' ? 'empty' : (cmps ?? 'a time');
      return [{ topic, content, retain }];
    });

  const componentOf = (part: string, { platform, ...options }: Entity): object => ({
    [part]: { p: platform, unique_id: `airbench_d1ce00000001_${part}`, ...options },
  });
  const described = { topic: config, content: componentOf('face', SENSOR), retain: true };
  const time = { topic: timeConfig, content: 'a time', retain: true };

  beforeEach(() => {
    published = [];
    entities = { face: SENSOR, start: TIME };
    session = {
      ...{ address: ADDRESS, isConnected: true, identity: {} },
      state: () => ({}),
      homeAssistant: {
        get dependencies() {
          return Object.values(entities);
        },
        describe: () => ({ name: 'A die', manufacturer: 'Particula', model: 'GoDice', entities }),
      },
    };
    const peer = fakePeer(topics, 'one', {
      publish: (topic, payload, { retain = false } = {}) => published.push({ topic, payload, retain }),
    });
    publications = new Publications(peer, {
      member: () => ({
        devices: () => (session === undefined ? [] : [session]),
        device: () => session,
        times: ['start', 'end'],
      }),
      owners: {
        ...{ held: new Map(), watch: () => undefined },
        epochOf: () => 1,
        standing: () => 'own',
      },
      discovery,
    });
    publications.publish(ADDRESS);
  });

  it('are one of the device and one of each time', () => {
    expect(sent()).to.deep.equal([described, time]);
  });

  it('of a time is cleared when the device has it no longer', () => {
    sent();
    entities = { face: SENSOR, start: { platform: 'time' } };
    publications.publish(ADDRESS);
    expect(sent()).to.deep.equal([{ ...time, content: 'empty' }]);
  });

  it('are cleared when a client ends its session, also those of times that this run has not described', () => {
    sent();
    session = undefined;
    publications.forget(ADDRESS);
    expect(sent()).to.have.deep.members(
      [config, timeConfig, timeConfig.replace('_start', '_end')].map((topic) => ({
        ...{ topic, content: 'empty', retain: true },
      })),
    );
  });

  const earlierOf = (earlier: object): string => JSON.stringify({ dev: {}, o: {}, cmps: earlier });

  it('follow a message without retention that removes times and texts of an earlier version', () => {
    sent();
    const earlier = { face: { p: 'sensor' }, start: { p: 'time', name: 'Start' }, start_text: { p: 'text' } };
    publications.supersede(config, earlierOf(earlier));
    const withdrawal = { start: { p: 'time' }, start_text: { p: 'text' } };
    expect(sent()).to.deep.equal([{ topic: config, content: withdrawal, retain: false }, described, time]);
    publications.repeat(ADDRESS);
    expect(sent()).to.deep.equal([described, time]);
  });

  it('stay as they are after the description of this version, of another device, or of nothing', () => {
    const own = published.find(({ topic }) => topic === config)?.payload ?? '';
    sent();
    for (const [topic, payload] of [
      [config, own],
      [config, ''],
      [config, 'rubbish'],
      [config, '{"cmps":[]}'],
      [config.replace('0001/', '0002/'), earlierOf({ start: { p: 'time' } })],
    ] as const)
      publications.supersede(topic, payload);
    expect(sent()).to.deep.equal([]);
  });
});
