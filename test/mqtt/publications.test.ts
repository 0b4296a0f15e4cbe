import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { PublishOptions } from '../../src/mqtt/broker.js';
import type { MemberDevice } from '../../src/mqtt/fleet.js';
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
