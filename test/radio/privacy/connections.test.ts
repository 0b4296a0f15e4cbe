import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { CommandParameters } from '../../../src/ble/hci/commands.js';
import { LeSubevent } from '../../../src/ble/hci/packets.js';
import { advertiseSet, extendedConnectionTo } from '../../support/extended-scenes.js';
import { isLeEvent, otherTurns, type AirHost } from '../../support/hci-host.js';
import {
  CENTRAL,
  NOBODY,
  PERIPHERAL,
  advertise,
  connectionTo,
  hostOn,
  pair,
} from '../../support/hci-scenes.js';
import {
  NO_KEY,
  enhancedConnected,
  isOf,
  keys,
  ofCentral,
  ofPeripheral,
  peerAddress,
  resolve,
  setPrivacyMode,
  useAddress,
  wantEnhanced,
} from '../../support/privacy-scenes.js';

const PRIVATE = 2;
const PRIVATE_OR_RANDOM = 3;
const LOW_DUTY = 4;
const DEVICE = 1;
const NETWORK = 0;
const forCentral = { ownAddressType: PRIVATE, peerAddressType: 0, peerAddress: CENTRAL };
const [PERIPHERAL_RPA, OTHER_RPA] = keys.peripheral.addresses;
const [CENTRAL_RPA] = keys.central.addresses;
const connected = isLeEvent(LeSubevent.connectionComplete);

/** Both want the enhanced event, and nothing else is said. */
const scene = async () => {
  const { air, time, central, peripheral } = await pair();
  await wantEnhanced(central);
  await wantEnhanced(peripheral);
  return { air, time, central, peripheral };
};

const connect = (
  host: AirHost,
  parameters: Partial<CommandParameters<'leCreateConnection'>> = {},
): Promise<number> => host.status('leCreateConnection', { ...connectionTo(PERIPHERAL), ...parameters });

/** Whether the central's attempt has made a link. */
const linked = async (host: AirHost): Promise<boolean> => {
  await otherTurns();
  return host.received.some(isLeEvent(LeSubevent.enhancedConnectionComplete));
};

/** Core 5.4 Vol 4 Part E 7.7.65.1 and 7.7.65.10. */
describe('A link between private addresses', () => {
  const both = async () => {
    const { air, central, peripheral } = await scene();
    await resolve(central, ofPeripheral);
    await resolve(peripheral, ofCentral);
    return { air, central, peripheral };
  };

  it('is reported to both with identities, and with the private addresses of both', async () => {
    const { central, peripheral } = await both();
    await advertise(peripheral, forCentral);
    expect(await connect(central, { ownAddressType: PRIVATE })).to.equal(0);
    const [atCentral, atPeripheral] = [await enhancedConnected(central), await enhancedConnected(peripheral)];
    expect([
      atCentral.status,
      atCentral.role,
      atCentral.peerAddressType,
      atCentral.peerAddress,
    ]).to.deep.equal([...[0, 0, 2, PERIPHERAL]]);
    expect([atPeripheral.status, atPeripheral.role, atPeripheral.peerAddressType]).to.deep.equal([0, 1, 2]);
    expect(atPeripheral.peerAddress).to.equal(CENTRAL);
    expect(isOf(keys.central, atCentral.localResolvableAddress)).to.equal(true);
    expect(isOf(keys.peripheral, atCentral.peerResolvableAddress)).to.equal(true);
    expect(atPeripheral.localResolvableAddress).to.equal(atCentral.peerResolvableAddress);
    expect(atPeripheral.peerResolvableAddress).to.equal(atCentral.localResolvableAddress);
    expect(await peerAddress(central, ofPeripheral)).to.equal(atCentral.peerResolvableAddress);
  });

  it('is reported with the addresses on the air to a host that has masked the enhanced event', async () => {
    const { central, peripheral } = await both();
    await central.begin();
    await resolve(central, ofPeripheral);
    await advertise(peripheral, forCentral);
    await connect(central, { ownAddressType: PRIVATE });
    const { peerAddressType, peerAddress: peer } = await central.connected();
    expect(peerAddressType).to.equal(1);
    expect((await enhancedConnected(peripheral)).localResolvableAddress).to.equal(peer);
  });

  it('is made by the extended commands as well', async () => {
    const { central, peripheral } = await both();
    await advertiseSet(peripheral, forCentral);
    await central.status('leExtendedCreateConnection', {
      ...extendedConnectionTo(PERIPHERAL),
      ownAddressType: PRIVATE,
    });
    const { peerAddressType, peerAddress: peer, localResolvableAddress } = await enhancedConnected(central);
    expect([peerAddressType, peer]).to.deep.equal([2, PERIPHERAL]);
    expect(isOf(keys.central, localResolvableAddress)).to.equal(true);
  });

  it('is reported as a random identity where that is the identity', async () => {
    const { central, peripheral } = await scene();
    await resolve(central, { ...ofPeripheral, address: 'C0:11:22:33:44:55', type: 1 });
    await useAddress(peripheral, PERIPHERAL_RPA);
    await advertise(peripheral, { ownAddressType: 1 });
    await connect(central, { peerAddress: 'C0:11:22:33:44:55', peerAddressType: 1 });
    const link = await enhancedConnected(central);
    expect([link.peerAddressType, link.peerAddress]).to.deep.equal([3, 'C0:11:22:33:44:55']);
    expect([link.localResolvableAddress, link.peerResolvableAddress]).to.deep.equal([NOBODY, PERIPHERAL_RPA]);
  });

  it('reports a connection that fails to be established with its private addresses too', async () => {
    const { air, central, peripheral } = await both();
    air.hooks.add('connection_request', () => false);
    await advertise(peripheral, forCentral);
    await connect(central, { ownAddressType: PRIVATE });
    const link = await enhancedConnected(central);
    expect([link.peerAddressType, link.peerAddress]).to.deep.equal([2, PERIPHERAL]);
    expect(isOf(keys.central, link.localResolvableAddress)).to.equal(true);
    expect(isOf(keys.peripheral, link.peerResolvableAddress)).to.equal(true);
  });

  it('is a link to that identity: a second one is 0x0B, whatever its address is now', async () => {
    const { air, central, peripheral } = await both();
    await advertise(peripheral, forCentral);
    await connect(central, { ownAddressType: PRIVATE });
    await enhancedConnected(central);
    expect(await connect(central)).to.equal(0x0b);
    const again = await hostOn(air, { address: 'C0:00:00:00:00:09' });
    await useAddress(again, OTHER_RPA);
    await advertise(again, { ownAddressType: 1 });
    await central.status('leAddToFilterAcceptList', { addressType: 0, address: PERIPHERAL });
    await connect(central, { filterPolicy: 1, peerAddress: NOBODY });
    expect(await linked(central)).to.equal(false);
  });
});

/** Core 5.4 Vol 4 Part E 7.8.12, Vol 6 Part B 4.3.5 and 6.4. */
describe('An initiator', () => {
  const advertiser = async (address: string = PERIPHERAL_RPA) => {
    const { air, time, central, peripheral } = await scene();
    await useAddress(peripheral, address);
    return { air, time, central, peripheral };
  };

  it('connects to the private address of a peer that is named by its public identity', async () => {
    const { central, peripheral } = await advertiser();
    await resolve(central, ofPeripheral);
    await advertise(peripheral, { ownAddressType: 1 });
    await connect(central, { peerAddressType: 2 });
    expect((await enhancedConnected(central)).peerAddress).to.equal(PERIPHERAL);
  });

  it('connects to an identity of the filter accept list by its private address', async () => {
    const { central, peripheral } = await advertiser();
    await resolve(central, ofPeripheral);
    await central.status('leAddToFilterAcceptList', { addressType: 0, address: PERIPHERAL });
    await advertise(peripheral, { ownAddressType: 1 });
    await connect(central, { filterPolicy: 1, peerAddress: NOBODY, ownAddressType: PRIVATE });
    const link = await enhancedConnected(central);
    expect([link.peerAddressType, link.peerAddress]).to.deep.equal([2, PERIPHERAL]);
    expect(isOf(keys.central, link.localResolvableAddress)).to.equal(true);
  });

  it('does not connect to the private address of an identity without address resolution', async () => {
    const { central, peripheral } = await advertiser();
    await resolve(central, ofPeripheral);
    await central.status('leSetAddressResolutionEnable', { enable: 0 });
    await advertise(peripheral, { ownAddressType: 1 });
    await connect(central);
    expect(await linked(central)).to.equal(false);
  });

  it('connects to a private address that its host names, resolved or not', async () => {
    for (const entry of [ofPeripheral, { ...ofPeripheral, peerIrk: keys.stranger.irk }]) {
      const { central, peripheral } = await advertiser();
      await resolve(central, entry);
      await advertise(peripheral, { ownAddressType: 1 });
      await connect(central, { peerAddress: PERIPHERAL_RPA, peerAddressType: 1 });
      expect((await enhancedConnected(central)).status).to.equal(0);
    }
  });

  for (const [mode, name, expected] of [
    [NETWORK, 'network', false],
    [DEVICE, 'device', true],
  ] as const) {
    it(`connects to the identity address of a peer with a key: ${expected}, in ${name} privacy mode`, async () => {
      const { central, peripheral } = await scene();
      await resolve(central, ofPeripheral);
      expect(await setPrivacyMode(central, ofPeripheral, mode)).to.equal(0);
      await advertise(peripheral);
      await connect(central);
      expect(await linked(central)).to.equal(expected);
    });
  }

  it('uses its random address for peers without a local key, if its type is 3', async () => {
    const { central, peripheral } = await scene();
    await resolve(central, { ...ofPeripheral, peerIrk: NO_KEY, localIrk: NO_KEY });
    await useAddress(central, 'C0:11:22:33:44:55');
    await advertise(peripheral);
    await connect(central, { ownAddressType: PRIVATE_OR_RANDOM });
    expect((await enhancedConnected(peripheral)).peerAddress).to.equal('C0:11:22:33:44:55');
    expect((await enhancedConnected(central)).localResolvableAddress).to.equal(NOBODY);
  });

  it('answers directed advertising to its private address', async () => {
    const { central, peripheral } = await scene();
    await resolve(central, ofPeripheral);
    await resolve(peripheral, ofCentral);
    await advertise(peripheral, { ...forCentral, type: LOW_DUTY });
    await connect(central, { ownAddressType: PRIVATE });
    expect(await linked(central)).to.equal(true);
  });

  it('with a private address does not answer directed advertising to its identity', async () => {
    const { central, peripheral } = await advertiser();
    await resolve(central, ofPeripheral);
    await advertise(peripheral, { type: LOW_DUTY, ownAddressType: 1, peerAddress: CENTRAL });
    await connect(central, { ownAddressType: PRIVATE });
    expect(await linked(central)).to.equal(false);
    await central.status('leCreateConnectionCancel', {});
    await central.next(isLeEvent(LeSubevent.enhancedConnectionComplete));
    await connect(central);
    expect(await linked(central), 'with its identity').to.equal(true);
  });
});

/** Core 5.4 Vol 6 Part B 4.3.2 and 6.2. */
describe('An advertiser', () => {
  it('accepts an identity of its filter accept list by its private address, and no other private address', async () => {
    for (const [address, expected] of [
      [CENTRAL_RPA, true],
      [keys.stranger.addresses[0], false],
    ] as const) {
      const { central, peripheral } = await scene();
      await resolve(peripheral, ofCentral);
      await peripheral.status('leAddToFilterAcceptList', { addressType: 0, address: CENTRAL });
      await advertise(peripheral, { filterPolicy: 2 });
      await useAddress(central, address);
      await connect(central, { ownAddressType: 1 });
      expect(await linked(central)).to.equal(expected);
    }
  });

  it('without a filter policy accepts a private address that it cannot resolve', async () => {
    const { central, peripheral } = await scene();
    await resolve(peripheral, ofCentral);
    await advertise(peripheral);
    await useAddress(central, keys.stranger.addresses[0]);
    await connect(central, { ownAddressType: 1 });
    const link = await enhancedConnected(peripheral);
    expect([link.peerAddressType, link.peerAddress]).to.deep.equal([1, keys.stranger.addresses[0]]);
    expect(link.peerResolvableAddress).to.equal(NOBODY);
  });

  for (const [mode, name, expected] of [
    [NETWORK, 'network', false],
    [DEVICE, 'device', true],
  ] as const) {
    it(`accepts the identity address of a peer with a key: ${expected}, in ${name} privacy mode`, async () => {
      const { central, peripheral } = await scene();
      await resolve(peripheral, ofCentral);
      await setPrivacyMode(peripheral, ofCentral, mode);
      await advertise(peripheral);
      await connect(central);
      expect(await linked(central)).to.equal(expected);
    });
  }

  it('accepts the target of directed advertising by a private address alone, once that is resolved', async () => {
    for (const [enable, expected] of [
      [1, true],
      [0, false],
    ] as const) {
      const { central, peripheral } = await scene();
      await resolve(central, ofPeripheral);
      await resolve(peripheral, ofCentral);
      await peripheral.status('leSetAddressResolutionEnable', { enable });
      await advertise(peripheral, { ...forCentral, type: LOW_DUTY });
      await connect(central, { ownAddressType: PRIVATE });
      expect(await linked(central)).to.equal(expected);
      expect(central.take(connected)).to.deep.equal([]);
    }
  });
});
