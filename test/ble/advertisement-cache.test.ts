import { expect } from 'chai';
import { describe, it } from 'mocha';
import { AdvertisementCache } from '../../src/ble/advertisement-cache.js';
import type { Advertisement } from '../../src/ble/ports.js';
import type { TimeSource } from '../../src/async/time.js';
import { manualTime } from '../support/manual-time.js';

const advertisement = (address: string): Advertisement => ({
  address,
  name: null,
  rssi: -60,
  heardAt: new Date(0),
  connectable: true,
  serviceUuids: [],
  manufacturerData: null,
  serviceData: [],
});

const HOUR_MS = 3_600_000;

describe('The advertisement cache', () => {
  it('forgets silent devices in time, even if the time of day is set back', () => {
    const manual = manualTime(10 * HOUR_MS);
    let shift = 0;
    const time: TimeSource = { ...manual, date: () => new Date(manual.now() + shift) };
    const forgotten: string[] = [];
    const cache = new AdvertisementCache(time, { devices: 10, ms: 60_000 }, (address) =>
      forgotten.push(address),
    );
    cache.add(advertisement('early'));
    manual.advance(30_000);
    cache.add(advertisement('late'));
    shift = -HOUR_MS;
    manual.advance(29_999);
    expect([cache.get('early')?.address, forgotten]).to.deep.equal(['early', []]);
    manual.advance(1);
    expect([cache.get('early'), forgotten]).to.deep.equal([undefined, ['early']]);
    shift = HOUR_MS;
    manual.advance(29_999);
    expect(forgotten).to.deep.equal(['early']);
    manual.advance(1);
    expect([cache.size, forgotten, manual.pending]).to.deep.equal([0, ['early', 'late'], 0]);
  });

  it('has the times of the last packet of each device and of any device', () => {
    const time = manualTime(5);
    const cache = new AdvertisementCache(time, { devices: 10, ms: 60_000 }, () => undefined);
    expect([cache.at('one'), cache.newest]).to.deep.equal([undefined, -Infinity]);
    cache.add(advertisement('one'));
    time.advance(10);
    cache.add(advertisement('two'));
    cache.remove('two');
    expect([cache.at('one'), cache.at('two'), cache.newest]).to.deep.equal([5, undefined, 15]);
    cache.clear();
    expect(time.pending).to.equal(0);
  });

  it('remembers nothing after its end, and starts no timer', () => {
    const time = manualTime();
    const cache = new AdvertisementCache(time, { devices: 10, ms: 60_000 }, () => undefined);
    cache.add(advertisement('early'));
    cache.close();
    cache.add(advertisement('late'));
    expect([cache.size, cache.get('late'), time.pending]).to.deep.equal([0, undefined, 0]);
  });
});
