import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { advertiseSet, extendedScan, stopExtendedScan } from '../support/extended-scenes.js';
import { isLeEvent, otherTurns, type AirHost } from '../support/hci-host.js';
import {
  CENTRAL,
  NOBODY,
  PERIPHERAL,
  advertise,
  connectionTo,
  hostOn,
  pair,
  scan,
} from '../support/hci-scenes.js';

const OTHER = 'D1:CE:00:00:00:02';
const report = isLeEvent(LeSubevent.advertisingReport);
const connected = isLeEvent(LeSubevent.connectionComplete);

const accept = (host: AirHost, address: string, addressType = 0): Promise<number> =>
  host.status('leAddToFilterAcceptList', { addressType, address });

/** Addresses of the advertisers that were reported. */
const reported = (host: AirHost): readonly string[] => [
  ...new Set(host.take(report).map((event) => event.subarray(7, 13).reverse().toString('hex'))),
];

describe('The filter accept list', () => {
  const three = async () => {
    const { air, time, central, peripheral } = await pair();
    const other = await hostOn(air, { address: OTHER, maxLinks: 1 });
    return { air, time, central, peripheral, other };
  };

  it('decides whom a filtered scan reports', async () => {
    const { central, peripheral, other } = await three();
    await advertise(peripheral);
    await advertise(other);
    await accept(central, OTHER);
    await scan(central, 0, { filterPolicy: 1 });
    expect(reported(central)).to.deep.equal(['d1ce00000002']);
  });

  it('distinguishes a public address from a random one', async () => {
    const { central, peripheral } = await three();
    await advertise(peripheral);
    await accept(central, PERIPHERAL, 1);
    await scan(central, 0, { filterPolicy: 1 });
    expect(reported(central)).to.deep.equal([]);
  });

  it('lets a central connect to the first device received that is on it', async () => {
    const { central, peripheral, other } = await three();
    await advertise(peripheral);
    await accept(central, OTHER);
    expect(await central.status('leCreateConnection', { ...connectionTo(NOBODY), filterPolicy: 1 })).to.equal(
      0,
    );
    await otherTurns();
    expect(central.take(connected)).to.deep.equal([]);
    await advertise(other);
    expect((await central.connected()).peerAddress).to.equal(OTHER);
  });

  it('decides who may connect to an advertiser', async () => {
    const { air, central, peripheral } = await three();
    const stranger = await hostOn(air, { address: '02:A1:B0:00:00:02' });
    await accept(peripheral, CENTRAL);
    await advertise(peripheral, { filterPolicy: 2 });
    await stranger.status('leCreateConnection', connectionTo(PERIPHERAL));
    await otherTurns();
    expect(stranger.take(connected)).to.deep.equal([]);
    await central.status('leCreateConnection', connectionTo(PERIPHERAL));
    expect((await peripheral.connected()).peerAddress).to.equal(CENTRAL);
  });

  it('decides who gets a scan response', async () => {
    const { air, central, peripheral } = await three();
    const stranger = await hostOn(air, { address: '02:A1:B0:00:00:02' });
    await accept(peripheral, CENTRAL);
    await advertise(peripheral, { filterPolicy: 1 });
    await scan(central, 0);
    await scan(stranger, 0);
    const types = (host: AirHost): readonly (number | undefined)[] =>
      host.take(report).map((event) => event[5]);
    expect(types(central)).to.include(4);
    expect(types(stranger)).to.include(0).and.not.include(4);
  });

  it('has an entry for all that are anonymous', async () => {
    const { central, peripheral } = await three();
    await advertiseSet(peripheral, { properties: 0x0020 });
    const heard = isLeEvent(LeSubevent.extendedAdvertisingReport);
    await extendedScan(central, { filterPolicy: 1 });
    expect(central.take(heard)).to.deep.equal([]);
    await stopExtendedScan(central);
    expect(await accept(central, NOBODY, 0xff)).to.equal(0);
    await extendedScan(central, { filterPolicy: 1 });
    expect(central.take(heard)).to.have.length(1);
  });

  it('forgets a removed device, and all at a reset', async () => {
    const { central, peripheral } = await three();
    await advertise(peripheral);
    await accept(central, PERIPHERAL);
    const forgotten = { addressType: 0, address: PERIPHERAL };
    expect(await central.status('leRemoveFromFilterAcceptList', forgotten)).to.equal(0);
    await scan(central, 0, { filterPolicy: 1 });
    expect(reported(central)).to.deep.equal([]);
    await central.begin();
    await accept(central, PERIPHERAL);
    await central.begin();
    await scan(central, 0, { filterPolicy: 1 });
    expect(reported(central)).to.deep.equal([]);
  });

  it('has room for as many as it reports: one more is 0x07', async () => {
    const { central } = await three();
    const { size = 0 } = (await central.returned('leReadFilterAcceptListSize', {})) ?? {};
    expect(size).to.equal(16);
    const address = (at: number): string =>
      `D1:CE:00:00:01:${at.toString(16).padStart(2, '0').toUpperCase()}`;
    for (let at = 0; at < size; at++) expect(await accept(central, address(at))).to.equal(0);
    expect(await accept(central, address(size))).to.equal(0x07);
    expect(await accept(central, address(0)), 'there already').to.equal(0);
    expect(await central.status('leClearFilterAcceptList', {})).to.equal(0);
    expect(await accept(central, address(size))).to.equal(0);
  });
});
