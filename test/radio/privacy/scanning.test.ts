import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent, events } from '../../../src/ble/hci/packets.js';
import { advertiseSet, extendedScan, setParameters } from '../../support/extended-scenes.js';
import { isLeEvent, text, type AirHost } from '../../support/hci-host.js';
import { CENTRAL, PERIPHERAL, advertise, hostOn, pair, scan } from '../../support/hci-scenes.js';
import {
  NO_KEY,
  extendedSenders,
  isOf,
  keys,
  ofCentral,
  ofPeripheral,
  peerAddress,
  resolve,
  senders,
  setPrivacyMode,
  useAddress,
} from '../../support/privacy-scenes.js';

const [RPA, OTHER_RPA] = keys.peripheral.addresses;
const [CENTRAL_RPA] = keys.central.addresses;
const [STRANGER_RPA] = keys.stranger.addresses;
const STATIC = 'C0:11:22:33:44:55';
const NONCONNECTABLE = 3;
const LOW_DUTY = 4;
const report = isLeEvent(LeSubevent.advertisingReport);
const directedReport = isLeEvent(LeSubevent.directedAdvertisingReport);
const asItself = { type: NONCONNECTABLE, ownAddressType: 1 };

/** A peripheral whose host makes its addresses, and a central whose controller resolves them. */
const scene = async (entry = ofPeripheral) => {
  const { air, time, central, peripheral } = await pair();
  await resolve(central, entry);
  await useAddress(peripheral, RPA);
  return { air, time, central, peripheral };
};

const stopScan = (host: AirHost): Promise<number> =>
  host.status('leSetScanEnable', { enable: 0, filterDuplicates: 0 });

/** Core 5.4 Vol 4 Part E 7.7.65.2 and 7.7.65.13, Vol 6 Part B 6.3. */
describe('A scanner', () => {
  it('reports the identity behind a private address as a public identity, 0x02', async () => {
    const { central, peripheral } = await scene();
    await advertise(peripheral, asItself);
    await scan(central, 0);
    expect(central.take(report).map(text)).to.deep.equal([
      '04 3e 12 02 01 03 02 01 00 00 00 ce d1 06 02 01 06 02 09 41 c4',
    ]);
    expect(await peerAddress(central, ofPeripheral)).to.equal(RPA);
  });

  it('reports a random identity as 0x03, its scan response as well', async () => {
    const { central, peripheral } = await scene({ ...ofPeripheral, address: STATIC, type: 1 });
    await advertise(peripheral, { ownAddressType: 1 });
    await scan(central, 0);
    expect(senders(central)).to.deep.equal([`3 ${STATIC}`, `3 ${STATIC}`]);
  });

  it('reports the identity in extended reports', async () => {
    const { central, peripheral } = await scene();
    await peripheral.status('leSetExtendedAdvertisingParameters', setParameters);
    await peripheral.status('leSetAdvertisingSetRandomAddress', { set: 1, address: RPA });
    await advertiseSet(peripheral, { ownAddressType: 1 });
    await extendedScan(central);
    expect(extendedSenders(central)).to.deep.equal([`2 ${PERIPHERAL} for 0 00:00:00:00:00:00`]);
  });

  it('reports the address itself where it cannot resolve it, or must not', async () => {
    const { central, peripheral } = await scene();
    await useAddress(peripheral, STRANGER_RPA);
    await advertise(peripheral, asItself);
    await scan(central, 0);
    expect(senders(central)).to.deep.equal([`1 ${STRANGER_RPA}`]);
    await peripheral.status('leSetAdvertisingEnable', { enable: 0 });
    await stopScan(central);
    await central.status('leSetAddressResolutionEnable', { enable: 0 });
    await useAddress(peripheral, RPA);
    await advertise(peripheral, asItself);
    await scan(central, 0);
    expect(senders(central)).to.deep.equal([`1 ${RPA}`]);
    expect(await peerAddress(central, ofPeripheral), 'nothing resolved, so 0x02').to.equal(
      '00:00:00:00:00:00',
    );
  });

  it('resolves no address of a device that was removed from its list', async () => {
    const { central, peripheral } = await scene();
    await advertise(peripheral, asItself);
    await scan(central, 0);
    expect(senders(central)).to.deep.equal([`2 ${PERIPHERAL}`]);
    await stopScan(central);
    await central.status('leClearResolvingList', {});
    await scan(central, 0);
    expect(senders(central)).to.deep.equal([`1 ${RPA}`]);
  });

  for (const [title, entry, mode, expected] of [
    ['ignores the identity address of a peer with a key, in network privacy mode', ofPeripheral, 0, []],
    ['reports it in device privacy mode, unresolved', ofPeripheral, 1, [`0 ${PERIPHERAL}`]],
    ['reports it of a peer without a key', { ...ofPeripheral, peerIrk: NO_KEY }, 0, [`0 ${PERIPHERAL}`]],
  ] as const) {
    it(title, async () => {
      const { central, peripheral } = await scene(entry);
      await setPrivacyMode(central, entry, mode);
      await advertise(peripheral, { type: NONCONNECTABLE });
      await scan(central, 0);
      expect(senders(central)).to.deep.equal(expected);
    });
  }

  it('reports an identity of the accept list that advertises by its private address', async () => {
    const { air, central, peripheral } = await scene();
    const stranger = await hostOn(air, { address: 'C0:00:00:00:00:09' });
    await useAddress(stranger, STRANGER_RPA);
    await advertise(peripheral, asItself);
    await advertise(stranger, asItself);
    await central.status('leAddToFilterAcceptList', { addressType: 0, address: PERIPHERAL });
    await scan(central, 0, { filterPolicy: 1 });
    expect(senders(central)).to.deep.equal([`2 ${PERIPHERAL}`]);
  });

  it('reports a known device once although its address is replaced, and an unknown one again, when it filters duplicates', async () => {
    for (const [entry, expected] of [
      [ofPeripheral, [`2 ${PERIPHERAL}`]],
      [{ ...ofPeripheral, peerIrk: keys.stranger.irk }, [`1 ${RPA}`, `1 ${OTHER_RPA}`]],
    ] as const) {
      const { time, central, peripheral } = await scene(entry);
      await advertise(peripheral, asItself);
      await scan(central, 1);
      await time.pass(50);
      await peripheral.status('leSetAdvertisingEnable', { enable: 0 });
      await useAddress(peripheral, OTHER_RPA);
      await peripheral.status('leSetAdvertisingEnable', { enable: 1 });
      await time.pass(50);
      expect(senders(central)).to.deep.equal(expected);
    }
  });
});

/** Core 5.4 Vol 4 Part E 7.7.65.11, Vol 6 Part B 4.3.3. */
describe('Directed advertising to a private address', () => {
  const directed = (peerAddress: string) => ({
    ...{ type: LOW_DUTY, ownAddressType: 1, peerAddressType: 1, peerAddress },
  });

  it('is reported to the device that resolves it, as an advertisement', async () => {
    const { central, peripheral } = await scene();
    await advertise(peripheral, directed(CENTRAL_RPA));
    await scan(central, 0);
    expect(senders(central)).to.deep.equal([`2 ${PERIPHERAL}`]);
    expect(central.take(directedReport)).to.deep.equal([]);
  });

  it('names the identity of that device in an extended report', async () => {
    for (const [ownAddressType, identity] of [
      [2, `2 ${CENTRAL}`],
      [3, `3 ${STATIC}`],
    ] as const) {
      const { central, peripheral } = await scene();
      await useAddress(central, STATIC);
      await advertise(peripheral, directed(CENTRAL_RPA));
      await extendedScan(central, { ownAddressType });
      expect(extendedSenders(central)).to.deep.equal([`2 ${PERIPHERAL} for ${identity}`]);
    }
  });

  it('is not reported to others by the basic filter policies', async () => {
    const { central, peripheral } = await scene();
    await advertise(peripheral, directed(STRANGER_RPA));
    await scan(central, 0);
    expect(central.take()).to.deep.equal([]);
  });

  it('is reported by an extended filter policy as LE Directed Advertising Report, instead', async () => {
    const { central, peripheral } = await scene();
    await advertise(peripheral, directed(STRANGER_RPA));
    await scan(central, 0, { filterPolicy: 2 });
    expect(central.take().map(text)).to.deep.equal([
      '04 3e 12 0b 01 01 02 01 00 00 00 ce d1 01 78 50 14 94 81 70 c4',
    ]);
  });

  it('is reported by an extended filter policy in an extended report, its target of type 0xFE', async () => {
    const { central, peripheral } = await scene();
    await advertise(peripheral, directed(STRANGER_RPA));
    await extendedScan(central, { filterPolicy: 2 });
    expect(extendedSenders(central)).to.deep.equal([`2 ${PERIPHERAL} for 254 ${STRANGER_RPA}`]);
  });

  it('is filtered by the accept list with policy 3', async () => {
    const { central, peripheral } = await scene();
    await advertise(peripheral, directed(STRANGER_RPA));
    await scan(central, 0, { filterPolicy: 3 });
    expect(central.take()).to.deep.equal([]);
    await stopScan(central);
    await central.status('leAddToFilterAcceptList', { addressType: 0, address: PERIPHERAL });
    await scan(central, 0, { filterPolicy: 3 });
    expect(central.take(directedReport)).to.have.length(1);
  });

  it('to an unresolvable address is for its device alone, whatever the filter policy', async () => {
    const { central, peripheral } = await scene();
    await advertise(peripheral, directed(STATIC));
    await scan(central, 0, { filterPolicy: 2 });
    expect(central.take()).to.deep.equal([]);
  });
});

/** Core 5.4 Vol 4 Part E 7.7.65.19, Vol 6 Part B 6.2 and 6.3. */
describe('A scan request', () => {
  const scannable = { properties: 0x0012, scanRequestNotification: 1 };
  const requests = async (central: AirHost, peripheral: AirHost, parameters: object = {}) => {
    await advertiseSet(peripheral, { ...scannable, ...parameters });
    await scan(central, 0, { ownAddressType: 2 });
    return peripheral.take(isLeEvent(LeSubevent.scanRequestReceived)).map((event) => {
      const { scannerAddressType, scannerAddress } = events.scanRequestReceived.read(event.subarray(4));
      return { type: scannerAddressType, address: scannerAddress };
    });
  };

  it('comes from a private address made for the advertiser', async () => {
    const { central, peripheral } = await pair();
    await resolve(central, { ...ofPeripheral, peerIrk: NO_KEY });
    const [request] = await requests(central, peripheral);
    expect([request?.type, isOf(keys.central, request?.address)]).to.deep.equal([1, true]);
  });

  it('is reported with the identity behind it', async () => {
    const { central, peripheral } = await pair();
    await resolve(central, { ...ofPeripheral, peerIrk: NO_KEY });
    await resolve(peripheral, ofCentral);
    expect(await requests(central, peripheral)).to.deep.equal([{ type: 2, address: CENTRAL }]);
  });

  it('passes a filter by its identity', async () => {
    const { central, peripheral } = await pair();
    await resolve(central, { ...ofPeripheral, peerIrk: NO_KEY });
    await resolve(peripheral, ofCentral);
    await peripheral.status('leAddToFilterAcceptList', { addressType: 0, address: CENTRAL });
    expect(await requests(central, peripheral, { filterPolicy: 1 })).to.deep.equal([
      { type: 2, address: CENTRAL },
    ]);
  });

  for (const [mode, name, expected] of [
    [0, 'network', []],
    [1, 'device', [{ type: 0, address: CENTRAL }]],
  ] as const) {
    it(`from the identity of a peer with a key is answered or not by ${name} privacy mode`, async () => {
      const { central, peripheral } = await pair();
      await resolve(peripheral, ofCentral);
      await setPrivacyMode(peripheral, ofCentral, mode);
      expect(await requests(central, peripheral)).to.deep.equal(expected);
      expect(senders(central)).to.have.length(1 + expected.length);
    });
  }
});
