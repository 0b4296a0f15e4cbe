import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Heard } from '../../src/ble/noble/heard.js';
import type { Advertisement } from '../../src/ble/ports.js';
import type { Clock } from '../../src/time.js';
import { manualClock } from '../support/manual-clock.js';

const advertisement = (address: string): Advertisement => ({
  address,
  name: null,
  rssi: -60,
  heardAt: new Date(0),
  connectable: true,
  serviceUuids: [],
  serviceData: [],
});

const HOUR_MS = 3_600_000;

describe('The devices heard lately', () => {
  it('are forgotten when they are silent for the time, though the time of day is set back meanwhile', () => {
    const manual = manualClock(10 * HOUR_MS);
    let shift = 0;
    const clock: Clock = { ...manual, date: () => new Date(manual.now() + shift) };
    const forgotten: string[] = [];
    const heard = new Heard(clock, { devices: 10, ms: 60_000 }, (address) => forgotten.push(address));
    heard.add(advertisement('early'));
    manual.advance(30_000);
    heard.add(advertisement('late'));
    shift = -HOUR_MS;
    manual.advance(29_999);
    expect([heard.get('early')?.address, forgotten]).to.deep.equal(['early', []]);
    manual.advance(1);
    expect([heard.get('early'), forgotten]).to.deep.equal([undefined, ['early']]);
    shift = HOUR_MS;
    manual.advance(29_999);
    expect(forgotten).to.deep.equal(['early']);
    manual.advance(1);
    expect([heard.size, forgotten, manual.pending]).to.deep.equal([0, ['early', 'late'], 0]);
  });

  it('know when each was heard last, and when anybody was', () => {
    const clock = manualClock(5);
    const heard = new Heard(clock, { devices: 10, ms: 60_000 }, () => undefined);
    expect([heard.at('one'), heard.newest]).to.deep.equal([undefined, -Infinity]);
    heard.add(advertisement('one'));
    clock.advance(10);
    heard.add(advertisement('two'));
    heard.remove('two');
    expect([heard.at('one'), heard.at('two'), heard.newest]).to.deep.equal([5, undefined, 15]);
    heard.clear();
    expect(clock.pending).to.equal(0);
  });
});
