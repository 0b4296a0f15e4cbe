import { expect } from 'chai';
import { describe, it } from 'mocha';
import { topicsOf } from '../../src/contract/topics.js';
import { Descriptions } from '../../src/mqtt/descriptions.js';
import { discoveryOf } from '../../src/mqtt/home-assistant.js';
import { DEVICE, fakePeer } from '../support/fake-fleet.js';

describe('Descriptions of a device for Home Assistant', () => {
  it('that follow each other before the first has come back from the broker remove its entities', () => {
    const topics = topicsOf('airbench', 'dice', 'one');
    const published: string[] = [];
    const peer = fakePeer(topics, 'one', { publish: (_topic, payload) => published.push(payload) });
    const discovery = discoveryOf('homeassistant', { topics, kind: 'dice', name: 'one' });
    const descriptions = new Descriptions(peer, discovery, () => undefined);
    for (const part of ['old', 'face'])
      descriptions.update({
        ...{ address: DEVICE, isConnected: true, state: () => ({}), identity: {} },
        homeAssistant: {
          dependencies: [part],
          describe: () => ({
            ...{ name: 'A die', manufacturer: 'Particula', model: 'GoDice' },
            entities: { [part]: { platform: 'sensor', name: part } },
          }),
        },
      });
    const [, last = ''] = published;
    expect(JSON.parse(last)).to.deep.nested.include({
      'cmps.old': { p: 'sensor' },
      'cmps.face.name': 'face',
    });
  });
});
