import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent, events } from '../../../src/ble/hci/packets.js';
import { isLeEvent, type AirHost } from '../../support/hci-host.js';
import { CENTRAL, NOBODY, PERIPHERAL } from '../../support/hci-scenes.js';
import {
  ENHANCED_EVENTS,
  NO_KEY,
  STRANGER_KEY,
  isOf,
  keys,
  ofCentral,
  ofPeripheral,
} from '../../support/privacy-scenes.js';
import { begun, play, scenes } from '../../support/scenes.js';

const [PERIPHERAL_RPA, OTHER_RPA] = keys.peripheral.addresses;
const [CENTRAL_RPA] = keys.central.addresses;
const [STRANGER_RPA] = keys.stranger.addresses;
const STATIC = 'C0:11:22:33:44:55';

const USE = 'leSetRandomAddress address';
const CONNECT = 'central leCreateConnection';
const CONNECT_PRIVATELY = `${CONNECT} ownAddressType=2`;
const ADVERTISE_PRIVATELY = `peripheral advertise ownAddressType=2 peerAddress=${CENTRAL}`;
const ADVERTISE_RANDOM = 'peripheral advertise ownAddressType=1';
const CENTRAL_RESOLVES = `central resolve ${ofPeripheral}`;
const PERIPHERAL_RESOLVES = `peripheral resolve ${ofCentral}`;
const CENTRAL_HEARS = 'central hears enhancedConnectionComplete status=0';
const PERIPHERAL_HEARS = 'peripheral hears enhancedConnectionComplete status=0';
/** The peripheral's identity in place of its address on the air. */
const IDENTITY = `peerAddressType=2 peerAddress=${PERIPHERAL}`;

/** Both hosts enable the enhanced event, and the scene contains nothing else. */
const enhanced = begun(`central ${ENHANCED_EVENTS}; peripheral ${ENHANCED_EVENTS}`);
const both = begun(`${CENTRAL_RESOLVES}; ${PERIPHERAL_RESOLVES}`, enhanced);
/** The peripheral's host makes its private address. */
const advertiser = begun(`peripheral ${USE}=${PERIPHERAL_RPA}; ${CENTRAL_RESOLVES}`, enhanced);

/** Core 5.4 Vol 4 Part E 7.7.65.1 and 7.7.65.10. */
describe('A link between private addresses', () => {
  const connected = async (host: AirHost) =>
    events.enhancedConnectionComplete.read(
      (await host.next(isLeEvent(LeSubevent.enhancedConnectionComplete))).subarray(4),
    );

  it('is reported to both with identities, and with the private addresses of both', async () => {
    const scene = await both();
    await play(scene, `${ADVERTISE_PRIVATELY}; ${CONNECT_PRIVATELY}`);
    const [atCentral, atPeripheral] = [await connected(scene.central), await connected(scene.peripheral)];
    expect(atCentral).to.include({ status: 0, role: 0, peerAddressType: 2, peerAddress: PERIPHERAL });
    expect(atPeripheral).to.include({ status: 0, role: 1, peerAddressType: 2, peerAddress: CENTRAL });
    expect(isOf(keys.central, atCentral.localResolvableAddress)).to.equal(true);
    expect(isOf(keys.peripheral, atCentral.peerResolvableAddress)).to.equal(true);
    expect(atPeripheral.localResolvableAddress).to.equal(atCentral.peerResolvableAddress);
    expect(atPeripheral.peerResolvableAddress).to.equal(atCentral.localResolvableAddress);
    await play(scene, `central leReadPeerResolvableAddress -> address=${atCentral.peerResolvableAddress}`);
  });

  scenes(
    {
      'is reported with the addresses on the air to a host that has masked the enhanced event': `
        central begins; ${CENTRAL_RESOLVES}; ${ADVERTISE_PRIVATELY}; ${CONNECT_PRIVATELY}
        central hears connectionComplete peerAddressType=1 peerAddress=key:peripheral
        ${PERIPHERAL_HEARS} localResolvableAddress=key:peripheral`,
      'is made by the extended commands as well': `
        peripheral advertiseSet ownAddressType=2 peerAddress=${CENTRAL}
        central leExtendedCreateConnection ownAddressType=2
        ${CENTRAL_HEARS} ${IDENTITY} localResolvableAddress=key:central`,
      'reports a connection that fails to be established with its private addresses too': `
        air fault device=${PERIPHERAL} type=failed_establishment; ${ADVERTISE_PRIVATELY}; ${CONNECT_PRIVATELY}
        ${CENTRAL_HEARS} ${IDENTITY} localResolvableAddress=key:central peerResolvableAddress=key:peripheral`,
      'is a link to the identity: a second one is refused with 0x0B at any address': `
        ${ADVERTISE_PRIVATELY}; ${CONNECT_PRIVATELY}; ${CENTRAL_HEARS}; ${CONNECT} -> 0x0B
        again joins C0:00:00:00:00:09; again ${USE}=${OTHER_RPA}; again advertise ownAddressType=1
        central leAddToFilterAcceptList; ${CONNECT} filterPolicy=1 peerAddress=${NOBODY}; central hears nothing`,
    },
    both,
  );
  scenes(
    {
      'is reported with the type of a random identity, 0x03': `
        ${CENTRAL_RESOLVES} peerIdentityAddressType=1 peerIdentityAddress=${STATIC}
        peripheral ${USE}=${PERIPHERAL_RPA}; ${ADVERTISE_RANDOM}; ${CONNECT} peerAddress=${STATIC} peerAddressType=1
        ${CENTRAL_HEARS} peerAddressType=3 peerAddress=${STATIC} localResolvableAddress=${NOBODY} peerResolvableAddress=${PERIPHERAL_RPA}`,
    },
    enhanced,
  );
});

/** Core 5.4 Vol 4 Part E 7.8.12, Vol 6 Part B 4.3.5 and 6.4. */
describe('An initiator', () => {
  scenes(
    {
      'connects to the private address of a peer that is named by its public identity': `
        ${ADVERTISE_RANDOM}; ${CONNECT} peerAddressType=2; ${CENTRAL_HEARS} peerAddress=${PERIPHERAL}`,
      'connects to an identity of the filter accept list by its private address': `
        central leAddToFilterAcceptList; ${ADVERTISE_RANDOM}
        ${CONNECT_PRIVATELY} filterPolicy=1 peerAddress=${NOBODY}
        ${CENTRAL_HEARS} ${IDENTITY} localResolvableAddress=key:central`,
      'does not connect to the private address of an identity without address resolution': `
        central leSetAddressResolutionEnable enable=0; ${ADVERTISE_RANDOM}; ${CONNECT}; central hears nothing`,
      'connects to a private address that its host names': `
        ${ADVERTISE_RANDOM}; ${CONNECT} peerAddress=${PERIPHERAL_RPA} peerAddressType=1; ${CENTRAL_HEARS}`,
      'connects to an unresolvable private address that its host names': `
        central leSetAddressResolutionEnable enable=0; central leClearResolvingList
        ${CENTRAL_RESOLVES} peerIrk=${STRANGER_KEY}; ${ADVERTISE_RANDOM}
        ${CONNECT} peerAddress=${PERIPHERAL_RPA} peerAddressType=1; ${CENTRAL_HEARS}`,
      'does not answer directed advertising to its identity with a private address': `
        ${ADVERTISE_RANDOM} type=4 peerAddress=${CENTRAL}; ${CONNECT_PRIVATELY}; central hears nothing
        central leCreateConnectionCancel; central hears enhancedConnectionComplete status=2
        ${CONNECT}; ${CENTRAL_HEARS}`,
    },
    advertiser,
  );
  scenes(
    {
      'does not connect to the identity address of a peer with a key in network privacy mode': `
        ${CENTRAL_RESOLVES}; central leSetPrivacyMode mode=0; peripheral advertise; ${CONNECT}; central hears nothing`,
      'connects to the identity address of a peer with a key in device privacy mode': `
        ${CENTRAL_RESOLVES}; central leSetPrivacyMode mode=1; peripheral advertise; ${CONNECT}; ${CENTRAL_HEARS}`,
      'uses its random address for peers without a local key, if its type is 3': `
        ${CENTRAL_RESOLVES} peerIrk=${NO_KEY} localIrk=${NO_KEY}; central ${USE}=${STATIC}
        peripheral advertise; ${CONNECT} ownAddressType=3
        ${PERIPHERAL_HEARS} peerAddress=${STATIC}; ${CENTRAL_HEARS} localResolvableAddress=${NOBODY}`,
    },
    enhanced,
  );
});

/** Core 5.4 Vol 6 Part B 4.3.2 and 6.2. */
describe('An advertiser', () => {
  const filtered = `peripheral leAddToFilterAcceptList address=${CENTRAL}; peripheral advertise filterPolicy=2`;
  scenes(
    {
      'accepts an identity of its filter accept list by its private address': `
        ${filtered}; central ${USE}=${CENTRAL_RPA}; ${CONNECT} ownAddressType=1; ${CENTRAL_HEARS}`,
      'accepts no other private address with a filter accept list': `
        ${filtered}; central ${USE}=${STRANGER_RPA}; ${CONNECT} ownAddressType=1; central hears nothing`,
      'accepts an unresolvable private address without a filter policy': `
        peripheral advertise; central ${USE}=${STRANGER_RPA}; ${CONNECT} ownAddressType=1
        ${PERIPHERAL_HEARS} peerAddressType=1 peerAddress=${STRANGER_RPA} peerResolvableAddress=${NOBODY}`,
      'does not accept the identity address of a peer with a key in network privacy mode': `
        peripheral advertise; ${CONNECT}; central hears nothing`,
      'accepts the identity address of a peer with a key in device privacy mode': `
        peripheral leSetPrivacyMode peerIdentityAddress=${CENTRAL} mode=1
        peripheral advertise; ${CONNECT}; ${CENTRAL_HEARS}`,
    },
    begun(PERIPHERAL_RESOLVES, enhanced),
  );
  scenes(
    {
      'accepts the target of directed advertising by a private address': `
        ${ADVERTISE_PRIVATELY} type=4; ${CONNECT_PRIVATELY}; ${CENTRAL_HEARS}, nothing`,
      'does not accept its target by a private address that it must not resolve': `
        peripheral leSetAddressResolutionEnable enable=0
        ${ADVERTISE_PRIVATELY} type=4; ${CONNECT_PRIVATELY}; central hears nothing`,
    },
    both,
  );
});
