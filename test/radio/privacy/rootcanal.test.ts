/**
 * The cases about privacy of initiators and advertisers that RootCanal has (github.com/google/rootcanal, test/LL), with their names in the Bluetooth
 * SIG's test specification of the Link Layer. The lower tester is a host that makes its private addresses itself. Where
 * RootCanal reports an identity as 0x00, it is 0x02 here, as in Core 5.4 Vol 4 Part E 7.7.65.2 and 7.7.65.10.
 */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../../src/ble/hci/packets.js';
import { extendedScan } from '../../support/extended-scenes.js';
import { isLeEvent, otherTurns, type AirHost } from '../../support/hci-host.js';
import { NOBODY, advertise, connectionTo, hostOn, stillAir } from '../../support/hci-scenes.js';
import {
  NO_KEY,
  enhancedConnected,
  extendedSenders,
  isOf,
  keys,
  resolve,
  useAddress,
  wantEnhanced,
} from '../../support/privacy-scenes.js';

const IUT = '02:A1:B0:00:00:01';
/** The identity of the lower tester. */
const TESTER = 'AA:BB:CC:DD:EE:FF';
const HIGH_DUTY = 1;
const LOW_DUTY = 4;
const PRIVATE = 2;

const { central: local, peripheral: peer, stranger: random } = keys;
const ofTester = { address: TESTER, type: 0, peerIrk: peer.irk, localIrk: local.irk };
const enhanced = isLeEvent(LeSubevent.enhancedConnectionComplete);

const scene = async () => {
  const { air, time } = stillAir();
  const [iut, tester] = [await hostOn(air, { address: IUT }), await hostOn(air, { address: TESTER })];
  for (const host of [iut, tester]) await wantEnhanced(host);
  return { air, time, iut, tester };
};

/** The tester advertises as this address. */
const advertiseAs = async (tester: AirHost, address: string, parameters: object = {}): Promise<void> => {
  await tester.status('leSetAdvertisingEnable', { enable: 0 });
  await useAddress(tester, address);
  await advertise(tester, { ownAddressType: 1, ...parameters });
  await otherTurns();
};

const initiate = (iut: AirHost, ownAddressType: number): Promise<number> =>
  iut.status('leCreateConnection', { ...connectionTo(TESTER), ownAddressType });

describe('As RootCanal has it, an initiator', () => {
  it('LL/CON/INI/BV-08-C uses a private address to connect to an identity without a key', async () => {
    const { iut, tester } = await scene();
    await resolve(iut, { ...ofTester, peerIrk: NO_KEY });
    await initiate(iut, PRIVATE);
    await advertise(tester);
    expect(isOf(local, (await enhancedConnected(tester)).peerAddress)).to.equal(true);
    const link = await enhancedConnected(iut);
    expect([link.peerAddressType, link.peerAddress, link.peerResolvableAddress]).to.deep.equal([
      ...[0, TESTER, NOBODY],
    ]);
    expect(isOf(local, link.localResolvableAddress)).to.equal(true);
  });

  it('LL/CON/INI/BV-09-C connects to the device of its resolving list, and to no other private address', async () => {
    const { iut, tester } = await scene();
    await resolve(iut, ofTester);
    await initiate(iut, PRIVATE);
    await advertiseAs(tester, random.addresses[0]);
    expect(iut.take(enhanced)).to.deep.equal([]);
    await advertiseAs(tester, peer.addresses[0]);
    const link = await enhancedConnected(iut);
    expect([link.peerAddressType, link.peerAddress, link.peerResolvableAddress]).to.deep.equal([
      ...[2, TESTER, peer.addresses[0]],
    ]);
  });

  it('LL/CON/INI/BV-10-C answers directed advertising of the device in its resolving list alone', async () => {
    const { iut, tester } = await scene();
    await resolve(iut, { ...ofTester, localIrk: NO_KEY });
    await initiate(iut, 0);
    const directed = { type: LOW_DUTY, peerAddressType: 0, peerAddress: IUT };
    await advertiseAs(tester, random.addresses[0], directed);
    expect(iut.take(enhanced)).to.deep.equal([]);
    await advertiseAs(tester, peer.addresses[0], directed);
    expect((await enhancedConnected(tester)).peerAddress).to.equal(IUT);
    const link = await enhancedConnected(iut);
    expect([link.peerAddress, link.peerResolvableAddress, link.localResolvableAddress]).to.deep.equal([
      ...[TESTER, peer.addresses[0], NOBODY],
    ]);
  });

  it('LL/CON/INI/BV-11-C answers directed advertising to a private address of its own, by another one', async () => {
    const { air, iut } = await scene();
    await resolve(iut, ofTester);
    await initiate(iut, PRIVATE);
    const [first, second] = peer.addresses;
    const wrong = await hostOn(air, { address: 'AA:BB:CC:DD:EE:01' });
    await advertiseAs(wrong, first, { type: LOW_DUTY, peerAddressType: 1, peerAddress: random.addresses[0] });
    expect(iut.take(enhanced)).to.deep.equal([]);
    // A lower tester that is a controller of ours has to know the key to accept another address of its target.
    const tester = await hostOn(air, { address: TESTER });
    await resolve(tester, { address: IUT, type: 0, peerIrk: local.irk, localIrk: peer.irk });
    await advertise(tester, { type: LOW_DUTY, ownAddressType: PRIVATE, peerAddress: IUT });
    const link = await enhancedConnected(iut);
    expect([link.peerAddressType, link.peerAddress]).to.deep.equal([2, TESTER]);
    expect([first, second]).to.not.include(link.peerResolvableAddress);
    expect(isOf(peer, link.peerResolvableAddress)).to.equal(true);
    expect(isOf(local, link.localResolvableAddress)).to.equal(true);
  });
});

describe('As RootCanal has it, an advertiser', () => {
  it('LL/SEC/ADV/BV-11-C directs its advertising by private addresses, and accepts one that it can resolve', async () => {
    const { air, time, iut, tester } = await scene();
    const observer = await hostOn(air, { address: 'AA:BB:CC:DD:EE:02' });
    await resolve(iut, ofTester);
    await resolve(tester, { address: IUT, type: 0, peerIrk: local.irk, localIrk: peer.irk });
    await extendedScan(observer, { filterPolicy: 2 });
    await advertise(iut, { type: HIGH_DUTY, ownAddressType: PRIVATE, peerAddress: TESTER });
    await otherTurns();
    const [, from, , , target] = (extendedSenders(observer)[0] ?? '').split(' ');
    expect([isOf(local, from), isOf(peer, target)]).to.deep.equal([true, true]);
    await tester.status('leCreateConnection', { ...connectionTo(IUT), ownAddressType: PRIVATE });
    const [atTester, link] = [await enhancedConnected(tester), await enhancedConnected(iut)];
    expect([link.role, link.peerAddressType, link.peerAddress]).to.deep.equal([1, 2, TESTER]);
    expect([link.localResolvableAddress, link.peerResolvableAddress]).to.deep.equal([
      ...[from, atTester.localResolvableAddress],
    ]);
    await iut.status('disconnect', { handle: link.handle, reason: 0x13 });
    await Promise.all([iut.disconnected(), tester.disconnected()]);
    await iut.status('leSetAddressResolutionEnable', { enable: 0 });
    await tester.status('leCreateConnection', { ...connectionTo(IUT), ownAddressType: PRIVATE });
    await iut.status('leSetAdvertisingEnable', { enable: 1 });
    await time.pass(1280);
    expect((await enhancedConnected(iut)).status, 'advertising timeout').to.equal(0x3c);
    expect(tester.take(enhanced)).to.deep.equal([]);
  });
});
