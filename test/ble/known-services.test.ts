import { expect } from 'chai';
import { describe, it } from 'mocha';
import { KnownServices } from '../../src/ble/esphome/services.js';
import { MOST_ATTRIBUTES, type GattService } from '../../src/protocols/esphome/index.js';

const service: GattService = { uuid: [], shortUuid: 0xff00, handle: 1, characteristics: [] };
const [A, B, C] = ['D1:CE:00:00:00:01', 'D1:CE:00:00:00:02', 'D1:CE:00:00:00:03'];

describe('The cache of services', () => {
  it('forgets the oldest beyond as many attributes as one device can have', () => {
    const cache = new KnownServices(() => undefined);
    const half = Array.from({ length: MOST_ATTRIBUTES / 2 }, () => service);
    cache.keep(A, half);
    cache.keep(B, half);
    cache.keep(A, half);
    cache.keep(C, half);
    expect([A, B, C].filter((address) => cache.get(address) !== undefined)).to.deep.equal([A, C]);
  });
});
