import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { topicsOf } from '../../src/contract/topics.js';
import type { MemberDevice } from '../../src/mqtt/fleet.js';
import { Publications } from '../../src/mqtt/publications.js';
import { DEVICE, fakePeer, NO_HOME_ASSISTANT } from '../support/fake-fleet.js';

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
      ...{ isAvailable: true, isLinked: true },
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
      ...{ address: DEVICE, isAvailable: false, isLinked: false, state: () => ({ face }) },
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
