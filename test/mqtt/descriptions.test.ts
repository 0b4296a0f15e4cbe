import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { topicsOf } from '../../src/contract/topics.js';
import { Descriptions } from '../../src/mqtt/descriptions.js';
import type { MemberDevice } from '../../src/mqtt/fleet.js';
import { discoveryOf, type Appliance, type Entity } from '../../src/mqtt/home-assistant.js';
import { DEVICE, fakePeer } from '../support/fake-fleet.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const topics = topicsOf('airbench', 'dice', 'one');

describe('The descriptions of a device for Home Assistant', () => {
  const discovery = discoveryOf('homeassistant', { topics, kind: 'dice', name: 'one' });
  const config = discovery.topic(DEVICE);
  const timeConfig = config.replace('/device/', '/time/').replace('/config', '_start/config');
  const SENSOR = { platform: 'sensor', name: 'Face' };
  const TIME = { platform: 'time', name: 'Start' };
  let published: { readonly topic: string; readonly payload: string }[];
  let entities: Appliance['entities'];
  let isUnknown: (id: string) => boolean;
  let session: MemberDevice | undefined;
  let descriptions: Descriptions;
  let time: ManualTime;
  let isDelivered: boolean;
  let subscribed: readonly string[];

  /** The topics with a message since the last call, with the entities in it. */
  const sent = (): readonly unknown[] =>
    published.splice(0).map(({ topic, payload }) => {
      const { cmps } = JSON.parse(payload === '' ? '{}' : payload) as { readonly cmps?: object };
      return { topic, content: payload === '' ? 'empty' : (cmps ?? 'a time') };
    });

  const componentOf = (part: string, { platform, ...options }: Entity): object => ({
    [part]: { p: platform, unique_id: `airbench_d1ce00000001_${part}`, ...options },
  });
  const FACE = componentOf('face', SENSOR);
  const described = { topic: config, content: FACE };
  const times = [
    { topic: timeConfig, content: 'a time' },
    { topic: timeConfig.replace('_start', '_end'), content: 'empty' },
  ];

  const linked = (isLinked = true): MemberDevice => ({
    ...{ address: DEVICE, isAvailable: isLinked, isLinked, identity: {} },
    state: () => ({}),
    homeAssistant: {
      dependencies: [JSON.stringify(entities)],
      describe: () => ({ name: 'A die', manufacturer: 'Particula', model: 'GoDice', entities, isUnknown }),
    },
  });
  const update = (isLinked = true): void => {
    session = linked(isLinked);
    descriptions.update(session);
  };
  const receive = (payload: string, retained = false): void =>
    descriptions.received(DEVICE, { topic: config, payload: Buffer.from(payload), retained });
  /** A description of a server. */
  const of = (server: string, cmps: object = {}): string =>
    JSON.stringify({
      dev: {},
      o: {},
      state_topic: `airbench/dice/servers/${server}/devices/${DEVICE}/state`,
      cmps,
    });

  beforeEach(() => {
    published = [];
    entities = { face: SENSOR, start: TIME };
    isUnknown = () => false;
    time = manualTime();
    isDelivered = true;
    subscribed = [];
    const peer = fakePeer(topics, 'one', {
      time,
      publish: (topic, payload, { settled } = {}) => {
        published.push({ topic, payload });
        if (!isDelivered) return;
        settled?.();
        // The server receives its own message.
        if (topic === config) receive(payload);
      },
    });
    const subscribe = (filters: readonly string[]): void => void (subscribed = filters);
    descriptions = new Descriptions({ ...peer, broker: { ...peer.broker, subscribe } }, discovery, () => ({
      device: () => session,
      times: ['start', 'end'],
    }));
  });

  it('are one of the device and one of each time, for a device with a link alone', () => {
    update(false);
    expect(sent()).to.deep.equal([]);
    update();
    expect(sent()).to.deep.equal([described, ...times]);
    update();
    expect(sent()).to.deep.equal([]);
  });

  it('are written again at a new link, and after Home Assistant has started', () => {
    update();
    sent();
    update(false);
    update();
    expect(sent()).to.deep.equal([described, ...times]);
    descriptions.repeat();
    update();
    expect(sent()).to.deep.equal([described, ...times]);
  });

  it('remove entities that the device has no longer', () => {
    entities = { ...entities, old: SENSOR };
    update();
    sent();
    entities = { face: SENSOR };
    update();
    expect(sent()).to.deep.equal([
      { topic: config, content: { old: { p: 'sensor' }, ...FACE } },
      { topic: timeConfig, content: 'empty' },
    ]);
  });

  it('remove entities of one that is still on its way', () => {
    isDelivered = false;
    entities = { old: SENSOR };
    update();
    sent();
    entities = { face: SENSOR };
    update();
    expect(sent()).to.deep.equal([{ topic: config, content: { old: { p: 'sensor' }, ...FACE } }]);
  });

  for (const server of ['one', 'two'])
    it(`remove entities of a retained description of the server ${server} that arrives late`, () => {
      update();
      sent();
      receive(
        of(server, { face: { p: 'sensor' }, button: { p: 'button', name: 'Old' }, late: { p: 'time' } }),
        true,
      );
      expect(sent()).to.deep.equal([{ topic: config, content: { button: { p: 'button' }, ...FACE } }]);
      receive(of(server, { button: { p: 'button' } }), true);
      expect(sent()).to.deep.equal([]);
    });

  it('remove at most 500 entities of others', () => {
    update(false);
    for (const prefix of ['a', 'b']) {
      const ids = Array.from({ length: 400 }, (_, at) => `${prefix}${at}`);
      receive(of('two', Object.fromEntries(ids.map((id) => [id, { p: 'sensor' }]))));
    }
    update();
    const [device] = sent() as { readonly content: object }[];
    expect(Object.keys(device?.content ?? {})).to.have.lengthOf(501);
  });

  it('keep entities of an earlier description that have not been read', () => {
    update(false);
    const alarm = { p: 'switch', name: 'Alarm 1' };
    receive(of('two', { alarm_0: alarm, button: { p: 'button' } }), true);
    isUnknown = (id) => id.startsWith('alarm_') || id === 'end';
    update();
    expect(sent()).to.deep.equal([
      { topic: config, content: { alarm_0: alarm, button: { p: 'button' }, ...FACE } },
      times[0],
    ]);
  });

  for (const [title, payload] of [
    ['another server', of('two')],
    ['nobody', ''],
    ['a stranger', 'rubbish'],
  ] as const)
    it(`are written again after growing pauses if ${title} replaces them while the device has a link`, () => {
      update();
      for (const pauseMs of [10_000, 20_000, 40_000]) {
        sent();
        receive(payload);
        time.advance(pauseMs - 1);
        expect(sent(), `before ${pauseMs} ms`).to.deep.equal([]);
        time.advance(1);
        expect(sent()).to.deep.equal([described, ...times]);
      }
      sent();
      update(false);
      receive(payload);
      time.advance(3_600_000);
      expect(sent()).to.deep.equal([]);
    });

  const empty = [config, timeConfig, timeConfig.replace('_start', '_end')].map((topic) => ({
    ...{ topic, content: 'empty' },
  }));

  for (const [title, last, expected] of [
    ['removed when a client ends the session', undefined, empty],
    ["left if another server's is the last one", of('two'), []],
  ] as const)
    it(`are ${title}`, () => {
      update();
      sent();
      if (last !== undefined) receive(last);
      descriptions.dismiss(DEVICE);
      session = undefined;
      descriptions.leave(DEVICE);
      expect(sent()).to.deep.equal(expected);
    });

  it('are left when a session ends without a client', () => {
    update();
    sent();
    session = undefined;
    descriptions.leave(DEVICE);
    expect(sent()).to.deep.equal([]);
  });

  it('are removed when a client ends the session before the broker has sent them back', () => {
    isDelivered = false;
    update();
    sent();
    descriptions.dismiss(DEVICE);
    session = undefined;
    descriptions.leave(DEVICE);
    expect(sent()).to.deep.equal(empty);
  });

  for (const [title, isOffline] of [
    ['the broker has not taken the removal', false],
    ['a client ended the session without one', true],
  ] as const)
    it(`are removed at the next connection if ${title}`, () => {
      update();
      const own = published.find(({ topic }) => topic === config)?.payload ?? '';
      isDelivered = false;
      if (isOffline) descriptions.lost();
      descriptions.dismiss(DEVICE);
      session = undefined;
      descriptions.leave(DEVICE);
      descriptions.lost();
      sent();
      isDelivered = true;
      for (const expected of [empty, []]) {
        subscribed = [];
        descriptions.joined();
        if (subscribed.includes(config)) receive(own, true);
        expect(sent()).to.deep.equal(expected);
      }
    });

  it('are left at the next connection if the device has a session again', () => {
    update();
    descriptions.lost();
    descriptions.dismiss(DEVICE);
    descriptions.joined();
    expect(subscribed).to.deep.equal([]);
  });
});
