import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { NobleLink } from '../../src/ble/noble/link.js';
import type { NoblePeripheral } from '../../src/ble/noble/internals.js';
import { LIMITS } from '../support/bluetooth-fixture.js';
import { manualTime } from '../support/manual-time.js';

/** A peripheral of noble's whose RSSI can be read, or throws. */
class Peripheral extends EventEmitter implements NoblePeripheral {
  readonly _noble = { _bindings: { _gatts: {}, _handles: {}, _hci: undefined as never } };
  readonly id = 'd1ce00000001';
  readonly address = 'd1:ce:00:00:00:01';
  readonly connectable = true;
  readonly rssi = -60;
  readonly advertisement = {};
  readonly mtu = null;
  readonly connect = (): void => undefined;
  readonly disconnect = (): void => undefined;
  readonly discoverServices = (): void => undefined;
  broken = false;
  onRequest = (): void => undefined;

  /** Resolves when the RSSI is requested next. */
  get requested(): Promise<void> {
    return new Promise((resolve) => (this.onRequest = resolve));
  }

  updateRssi(): void {
    this.onRequest();
    if (this.broken) throw new Error('a defect');
  }
}

describe('An operation on a link', () => {
  it('fails alone when it throws: those queued before and after it are served', async () => {
    const time = manualTime();
    const peripheral = new Peripheral();
    const link = new NobleLink(peripheral, LIMITS, time);
    const { requested } = peripheral;
    const reads = [1, 2, 3].map(() => link.rssi().catch(String));
    await requested;
    peripheral.broken = true;
    peripheral.emit('rssiUpdate', -50);
    expect(await reads[0]).to.deep.equal(E.right(-50));
    expect(await reads[1]).to.equal('Error: a defect');
    expect(await reads[2]).to.equal('Error: a defect');
    peripheral.broken = false;
    const { requested: again } = peripheral;
    const next = link.rssi();
    await again;
    peripheral.emit('rssiUpdate', -40);
    expect(await next).to.deep.equal(E.right(-40));
    expect([time.pending, link.ended]).to.deep.equal([0, undefined]);
  });

  it('leaves the link alone when the adapter does not answer, as a read of its signal', async () => {
    const time = manualTime();
    const peripheral = new Peripheral();
    const link = new NobleLink(peripheral, LIMITS, time);
    const { requested } = peripheral;
    const signal = link.rssi();
    await requested;
    time.advance(LIMITS.gatt);
    expect([await signal, link.ended]).to.deep.equal([E.right(null), undefined]);
  });
});
