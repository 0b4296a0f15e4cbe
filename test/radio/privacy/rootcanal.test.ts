/**
 * RootCanal's cases for the privacy of initiators and advertisers (github.com/google/rootcanal, test/LL), with their names in the Bluetooth
 * SIG's test specification of the Link Layer. The lower tester is a host that makes its private addresses itself. Where
 * RootCanal reports an identity as 0x00, it is 0x02 here, as in Core 5.4 Vol 4 Part E 7.7.65.2 and 7.7.65.10.
 */
import { describe } from 'mocha';
import { CENTRAL, NOBODY, PERIPHERAL } from '../../support/hci-scenes.js';
import { ENHANCED_EVENTS, NO_KEY, keys, ofCentral, ofPeripheral } from '../../support/privacy-scenes.js';
import { begun, scenes } from '../../support/scenes.js';

const [PEER] = keys.peripheral.addresses;
const [RANDOM] = keys.stranger.addresses;
const PRIVATE = 'ownAddressType=2';
const RESOLVE = `central resolve ${ofPeripheral}`;
const CENTRAL_HEARS = 'central hears enhancedConnectionComplete';
const PERIPHERAL_HEARS = 'peripheral hears enhancedConnectionComplete';

const advertiseAs = (address: string, parameters = ''): string =>
  `peripheral leSetAdvertisingEnable enable=0; peripheral leSetRandomAddress address=${address}; peripheral advertise ownAddressType=1 ${parameters}`;
const DIRECTED = `type=4 peerAddress=${CENTRAL}`;

const start = begun(`central ${ENHANCED_EVENTS}; peripheral ${ENHANCED_EVENTS}`);

describe('An initiator in the cases of RootCanal', () => {
  scenes(
    {
      'LL/CON/INI/BV-08-C uses a private address to connect to an identity without a key': `
        ${RESOLVE} peerIrk=${NO_KEY}; central leCreateConnection ${PRIVATE}; peripheral advertise
        ${PERIPHERAL_HEARS} peerAddress=key:central
        ${CENTRAL_HEARS} peerAddressType=0 peerAddress=${PERIPHERAL} peerResolvableAddress=${NOBODY} localResolvableAddress=key:central`,
      'LL/CON/INI/BV-09-C connects to the device of its resolving list, and to no other private address': `
        ${RESOLVE}; central leCreateConnection ${PRIVATE}; ${advertiseAs(RANDOM)}; central hears nothing
        ${advertiseAs(PEER)}
        ${CENTRAL_HEARS} peerAddressType=2 peerAddress=${PERIPHERAL} peerResolvableAddress=${PEER}`,
      'LL/CON/INI/BV-10-C answers directed advertising of the device in its resolving list alone': `
        ${RESOLVE} localIrk=${NO_KEY}; central leCreateConnection
        ${advertiseAs(RANDOM, DIRECTED)}; central hears nothing
        ${advertiseAs(PEER, DIRECTED)}; ${PERIPHERAL_HEARS} peerAddress=${CENTRAL}
        ${CENTRAL_HEARS} peerAddress=${PERIPHERAL} peerResolvableAddress=${PEER} localResolvableAddress=${NOBODY}`,
      // The lower tester is a virtual controller here, and needs the key to accept another address of its target.
      'LL/CON/INI/BV-11-C answers directed advertising to its private address, by another one': `
        ${RESOLVE}; central leCreateConnection ${PRIVATE}
        ${advertiseAs(PEER, `type=4 peerAddressType=1 peerAddress=${RANDOM}`)}; central hears nothing
        peripheral leSetAdvertisingEnable enable=0; peripheral resolve ${ofCentral}
        peripheral advertise ${DIRECTED} ${PRIVATE}
        ${CENTRAL_HEARS} peerAddressType=2 peerAddress=${PERIPHERAL} peerResolvableAddress=key:peripheral localResolvableAddress=key:central`,
    },
    start,
  );
});

describe('An advertiser in the cases of RootCanal', () => {
  scenes(
    {
      'LL/SEC/ADV/BV-11-C directs its advertising by private addresses, and accepts one that it can resolve': `
        observer joins AA:BB:CC:DD:EE:02; ${RESOLVE}; peripheral resolve ${ofCentral}
        observer extendedScan filterPolicy=2; peripheral advertise type=1 ${PRIVATE} peerAddress=${CENTRAL}
        observer hears extendedAdvertisingReport address=key:peripheral directAddress=key:central
        central leCreateConnection ${PRIVATE}; ${CENTRAL_HEARS} status=0
        ${PERIPHERAL_HEARS} role=1 peerAddressType=2 peerAddress=${CENTRAL} localResolvableAddress=key:peripheral peerResolvableAddress=key:central
        peripheral disconnect; peripheral forgets; central forgets
        peripheral leSetAddressResolutionEnable enable=0; central leCreateConnection ${PRIVATE}
        peripheral leSetAdvertisingEnable; 1280 ms; peripheral hears enhancedConnectionComplete status=0x3c
        central hears nothing`,
    },
    start,
  );
});
