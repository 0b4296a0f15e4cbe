import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { topicsOf } from '../../src/contract/topics.js';
import { Descriptions } from '../../src/mqtt/descriptions.js';
import type { MemberDevice } from '../../src/mqtt/fleet.js';
import { discoveryOf, type Appliance, type Entity } from '../../src/mqtt/home-assistant.js';
import { Publications } from '../../src/mqtt/publications.js';
import { DEVICE, fakePeer, NO_HOME_ASSISTANT } from '../support/fake-fleet.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const topics = topicsOf('airbench', 'dice', 'one');

interface Published {
  readonly topic: string;
  readonly payload: string;
  readonly settled: (() => void) | undefined;
}

describe('The retained messages of a server on a broker', () => {
  let published: Published[];
  let face: number;
  let device: MemberDevice | undefined;
  let publications: Publications;

  /** The messages since the last call, by the ends of their topics. */
  const sent = (): readonly string[] =>
    published.splice(0).map(({ topic, payload }) => `${topic.replace(topics.server, '')} ${payload}`);
  /** The broker acknowledges the messages so far. */
  const acknowledged = (): void => {
    for (const { settled } of [...published]) settled?.();
  };
  const LIST = `/devices {"devices":["${DEVICE}"]}`;
  const NO_LIST = '/devices {"devices":[]}';
  const ofDevice = (part: string, payload: string): string => `/devices/${DEVICE}/${part} ${payload}`;
  const state = (shown: number): string => ofDevice('state', `{"face":${shown}}`);
  const online = ofDevice('availability', 'online');

  beforeEach(() => {
    published = [];
    face = 1;
    device = {
      address: DEVICE,
      isConnected: true,
      state: () => ({ face }),
      identity: {},
      homeAssistant: NO_HOME_ASSISTANT,
    };
    const peer = fakePeer(topics, 'one', {
      publish: (topic, payload, { settled } = {}) => published.push({ topic, payload, settled }),
    });
    publications = new Publications(peer, {
      member: () => ({
        devices: () => (device === undefined ? [] : [device]),
        device: (address) => (address === DEVICE ? device : undefined),
      }),
      homeAssistant: undefined,
    });
  });

  const changed = (...faces: readonly number[]): void => {
    for (face of faces) publications.publish(DEVICE);
  };

  it('wait until the retained messages of this server have arrived', () => {
    changed(1);
    expect(sent()).to.deep.equal([]);
    publications.joined();
    expect(sent()).to.deep.equal([LIST, state(1), online]);
  });

  it('name a device from before its first message until after its last', () => {
    device = undefined;
    publications.joined();
    expect(sent()).to.deep.equal([NO_LIST]);
    device = {
      ...{ address: DEVICE, isConnected: false, state: () => ({ face }) },
      ...{ identity: {}, homeAssistant: NO_HOME_ASSISTANT },
    };
    changed(1);
    acknowledged();
    const offline = ofDevice('availability', 'offline');
    expect(sent()).to.deep.equal([LIST, state(1), offline]);
    device = undefined;
    publications.publish(DEVICE);
    acknowledged();
    const cleared = ['state', 'availability'].map((part) => ofDevice(part, ''));
    expect(sent()).to.deep.equal([cleared[0], offline, cleared[1], NO_LIST]);
  });

  it('are cleared of the devices of an earlier run or connection', () => {
    const gone = 'D1:CE:00:00:00:02';
    publications.inherit(Buffer.from(JSON.stringify({ devices: [gone, DEVICE] })));
    publications.joined();
    acknowledged();
    expect(
      sent().filter((message) => message.includes(gone) || message.startsWith('/devices {')),
    ).to.deep.equal([
      `/devices {"devices":["${DEVICE}","${gone}"]}`,
      `/devices/${gone}/state `,
      `/devices/${gone}/availability offline`,
      `/devices/${gone}/availability `,
      LIST,
    ]);
  });

  it('of an earlier version are cleared, and then its list', () => {
    publications.inheritEarlier(
      Buffer.from(JSON.stringify({ devices: [DEVICE], name: 'one', instance: '1' })),
    );
    expect(sent()).to.deep.equal([]);
    publications.joined();
    expect(published.slice(0, 4).map(({ topic, payload }) => [topic, payload])).to.deep.equal([
      ...['state', 'availability', 'owner'].map((part) => [`airbench/dice/devices/${DEVICE}/${part}`, '']),
      ['airbench/dice/servers/one/owned', ''],
    ]);
  });

  it('stay those of a device that comes back before its last availability has arrived', () => {
    publications.joined();
    const back = device;
    sent();
    device = undefined;
    publications.publish(DEVICE);
    const leaving = [...published];
    device = back;
    publications.publish(DEVICE);
    for (const { settled } of leaving) settled?.();
    expect(sent().slice(-2)).to.deep.equal([state(1), online]);
  });

  it('have the newest state of a device as soon as the broker has acknowledged the previous state', () => {
    publications.joined();
    sent();
    changed(2, 3);
    expect(sent()).to.deep.equal([]);
    publications.lost();
    publications.joined();
    changed(4, 5);
    acknowledged();
    expect(sent()).to.deep.equal([LIST, state(3), online, state(5)]);
  });

  it('are published once for each state', () => {
    publications.joined();
    changed(2, 1);
    acknowledged();
    sent();
    changed(1);
    expect(sent()).to.deep.equal([]);
  });
});

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

  const linked = (isConnected = true): MemberDevice => ({
    ...{ address: DEVICE, isConnected, identity: {} },
    state: () => ({}),
    homeAssistant: {
      dependencies: [JSON.stringify(entities)],
      describe: () => ({ name: 'A die', manufacturer: 'Particula', model: 'GoDice', entities, isUnknown }),
    },
  });
  const update = (isConnected = true): void => {
    session = linked(isConnected);
    descriptions.update(session);
  };
  const receive = (payload: string, retained = false): void =>
    descriptions.received(DEVICE, { topic: config, payload: Buffer.from(payload), retained });
  const ofOther = (cmps: object): string =>
    JSON.stringify({
      dev: {},
      o: {},
      state_topic: `airbench/dice/servers/two/devices/${DEVICE}/state`,
      cmps,
    });

  beforeEach(() => {
    published = [];
    entities = { face: SENSOR, start: TIME };
    isUnknown = () => false;
    time = manualTime();
    const peer = fakePeer(topics, 'one', {
      time,
      publish: (topic, payload) => {
        published.push({ topic, payload });
        // The server receives its own message.
        if (topic === config) receive(payload);
      },
    });
    descriptions = new Descriptions(peer, discovery, () => ({
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

  it('remove entities of a retained description that arrives late, whoever wrote it', () => {
    update();
    sent();
    receive(
      ofOther({ face: { p: 'sensor' }, button: { p: 'button', name: 'Old' }, late: { p: 'time' } }),
      true,
    );
    expect(sent()).to.deep.equal([{ topic: config, content: { button: { p: 'button' }, ...FACE } }]);
    receive(ofOther({ button: { p: 'button' } }), true);
    expect(sent()).to.deep.equal([]);
  });

  it('keep entities of an earlier description that have not been read', () => {
    const alarm = { p: 'switch', name: 'Alarm 1' };
    receive(ofOther({ alarm_0: alarm, button: { p: 'button' } }), true);
    isUnknown = (id) => id.startsWith('alarm_') || id === 'end';
    update();
    expect(sent()).to.deep.equal([
      { topic: config, content: { alarm_0: alarm, button: { p: 'button' }, ...FACE } },
      times[0],
    ]);
  });

  for (const [title, payload] of [
    ['another server', ofOther({})],
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
    ["left if another server's is the last one", ofOther({}), []],
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

  it('are removed at the next connection if a client ended the session without one', () => {
    update();
    const own = published.find(({ topic }) => topic === config)?.payload ?? '';
    sent();
    descriptions.lost();
    descriptions.dismiss(DEVICE);
    session = undefined;
    expect(descriptions.subscriptions()).to.deep.equal([config]);
    receive(own, true);
    descriptions.joined();
    expect(sent()).to.deep.equal(empty);
    expect(descriptions.subscriptions()).to.deep.equal([]);
  });
});
