import { describe } from 'mocha';
import { CENTRAL, PERIPHERAL } from '../../support/hci-scenes.js';
import { NO_KEY, STRANGER_KEY, keys, ofCentral, ofPeripheral } from '../../support/privacy-scenes.js';
import { begun, scenes } from '../../support/scenes.js';

const [RPA, OTHER_RPA] = keys.peripheral.addresses;
const [CENTRAL_RPA] = keys.central.addresses;
const [STRANGER_RPA] = keys.stranger.addresses;
const STATIC = 'C0:11:22:33:44:55';
const AS_ITSELF = 'peripheral advertise type=3 ownAddressType=1';
const RESOLVE = `central resolve ${ofPeripheral}`;
const USE = 'leSetRandomAddress address';
const ACCEPT = 'central leAddToFilterAcceptList';

/** A peripheral whose host makes its addresses. */
const ownMade = begun(`peripheral ${USE}=${RPA}`);
/** The same peripheral, with a central whose controller resolves the addresses. */
const resolved = begun(RESOLVE, ownMade);

/** Core 5.4 Vol 4 Part E 7.7.65.2 and 7.7.65.13, Vol 6 Part B 6.3. */
describe('A scanner', () => {
  scenes(
    {
      'reports the identity behind a private address as a public identity, 0x02': `
        ${AS_ITSELF}; central scan
        central hears 04 3E 12 02 01 03 02 01 00 00 00 CE D1 06 02 01 06 02 09 41 C4, nothing
        central leReadPeerResolvableAddress -> address=${RPA}`,
      'reports the identity in extended reports': `
        peripheral leSetExtendedAdvertisingParameters properties=1
        peripheral leSetAdvertisingSetRandomAddress address=${RPA}
        peripheral advertiseSet ownAddressType=1; central extendedScan
        central hears extendedAdvertisingReport addressType=2 address=${PERIPHERAL} directAddressType=0, nothing`,
      'reports an address that it cannot or must not resolve': `
        peripheral ${USE}=${STRANGER_RPA}; ${AS_ITSELF}
        central scan; central hears advertisingReport addressType=1 address=${STRANGER_RPA}
        peripheral leSetAdvertisingEnable enable=0; central leSetScanEnable enable=0
        central leSetAddressResolutionEnable enable=0; peripheral ${USE}=${RPA}; ${AS_ITSELF}
        central scan; central hears advertisingReport addressType=1 address=${RPA}, nothing
        central leReadPeerResolvableAddress -> 0x02`,
      'resolves no address of a device that was removed from its list': `
        ${AS_ITSELF}; central scan; central hears advertisingReport addressType=2 address=${PERIPHERAL}
        central leSetScanEnable enable=0; central leClearResolvingList
        central scan; central hears advertisingReport addressType=1 address=${RPA}`,
      'ignores the identity address of a peer with a key, in network privacy mode': `
        peripheral advertise; central scan; central hears nothing`,
      'reports the identity address of a peer with a key in device privacy mode': `
        central leSetPrivacyMode mode=1; peripheral advertise type=3
        central scan; central hears advertisingReport addressType=0 address=${PERIPHERAL}`,
      'reports an identity of the accept list that advertises by its private address': `
        stranger joins C0:00:00:00:00:09; stranger ${USE}=${STRANGER_RPA}
        ${AS_ITSELF}; stranger advertise type=3 ownAddressType=1
        ${ACCEPT}; central scan filterPolicy=1
        central hears advertisingReport addressType=2 address=${PERIPHERAL}, nothing`,
      'reports a known device once although its address is replaced, when it filters duplicates': `
        ${AS_ITSELF}; central scan filterDuplicates=1; 50 ms
        peripheral leSetAdvertisingEnable enable=0; peripheral ${USE}=${OTHER_RPA}
        peripheral leSetAdvertisingEnable; 50 ms
        central hears advertisingReport addressType=2 address=${PERIPHERAL}, nothing`,
    },
    resolved,
  );
  scenes(
    {
      'reports a random identity as 0x03, its scan response as well': `
        ${RESOLVE} peerIdentityAddress=${STATIC} peerIdentityAddressType=1
        peripheral advertise ownAddressType=1; central scan
        central hears 2 advertisingReport addressType=3 address=${STATIC}, nothing`,
      'reports the identity address of a peer without a key': `
        ${RESOLVE} peerIrk=${NO_KEY}; peripheral advertise type=3; central scan
        central hears advertisingReport addressType=0 address=${PERIPHERAL}, nothing`,
      'reports an unknown device again when its address is replaced': `
        ${RESOLVE} peerIrk=${STRANGER_KEY}; ${AS_ITSELF}; central scan filterDuplicates=1; 50 ms
        peripheral leSetAdvertisingEnable enable=0; peripheral ${USE}=${OTHER_RPA}
        peripheral leSetAdvertisingEnable; 50 ms
        central hears advertisingReport addressType=1 address=${RPA}
        central hears advertisingReport addressType=1 address=${OTHER_RPA}, nothing`,
    },
    ownMade,
  );
});

/** Core 5.4 Vol 4 Part E 7.7.65.11, Vol 6 Part B 4.3.3. */
describe('Directed advertising to a private address', () => {
  const to = (target: string) =>
    `peripheral advertise type=4 ownAddressType=1 peerAddressType=1 peerAddress=${target}`;
  const inExtendedReport = (type: number, address: string): string => `
    central ${USE}=${STATIC}; ${to(CENTRAL_RPA)}; central extendedScan ownAddressType=${type}
    central hears extendedAdvertisingReport addressType=2 address=${PERIPHERAL} directAddressType=${type} directAddress=${address}`;

  scenes(
    {
      'is reported to the device that resolves it, as an advertisement': `
        ${to(CENTRAL_RPA)}; central scan
        central hears advertisingReport addressType=2 address=${PERIPHERAL}, nothing`,
      'names the public identity of that device in an extended report': inExtendedReport(2, CENTRAL),
      'names the random identity of that device in an extended report': inExtendedReport(3, STATIC),
      'is not reported to other devices by the basic filter policies': `
        ${to(STRANGER_RPA)}; central scan; central hears nothing`,
      'is reported by an extended filter policy as LE Directed Advertising Report': `
        ${to(STRANGER_RPA)}; central scan filterPolicy=2
        central hears 04 3E 12 0B 01 01 02 01 00 00 00 CE D1 01 78 50 14 94 81 70 C4, nothing`,
      'is reported by an extended filter policy in an extended report, its target of type 0xFE': `
        ${to(STRANGER_RPA)}; central extendedScan filterPolicy=2
        central hears extendedAdvertisingReport address=${PERIPHERAL} directAddressType=254 directAddress=${STRANGER_RPA}`,
      'is filtered by the accept list with policy 3': `
        ${to(STRANGER_RPA)}; central scan filterPolicy=3; central hears nothing
        central leSetScanEnable enable=0; ${ACCEPT}
        central scan filterPolicy=3; central hears directedAdvertisingReport, nothing`,
      'is received by its device alone if the address is not resolvable, whatever the filter policy': `
        ${to(STATIC)}; central scan filterPolicy=2; central hears nothing`,
    },
    resolved,
  );
});

/** Core 5.4 Vol 4 Part E 7.7.65.19, Vol 6 Part B 6.2 and 6.3. */
describe('A scan request', () => {
  const request = (parameters = ''): string =>
    `peripheral advertiseSet properties=0x12 scanRequestNotification=1 ${parameters}; central scan ownAddressType=2`;
  const RESOLVED = `${RESOLVE} peerIrk=${NO_KEY}; peripheral resolve ${ofCentral}`;

  scenes({
    'comes from a private address made for the advertiser': `
      ${RESOLVE} peerIrk=${NO_KEY}; ${request()}
      peripheral hears scanRequestReceived scannerAddressType=1 scannerAddress=key:central`,
    'is reported with the identity behind it': `
      ${RESOLVED}; ${request()}
      peripheral hears scanRequestReceived scannerAddressType=2 scannerAddress=${CENTRAL}, nothing`,
    'passes a filter by its identity': `
      ${RESOLVED}; peripheral leAddToFilterAcceptList address=${CENTRAL}; ${request('filterPolicy=1')}
      peripheral hears scanRequestReceived scannerAddressType=2 scannerAddress=${CENTRAL}, nothing`,
    'is not answered from the identity of a peer with a key in network privacy mode': `
      peripheral resolve ${ofCentral}; ${request()}
      peripheral hears nothing; central hears advertisingReport, nothing`,
    'is answered from the identity of a peer with a key in device privacy mode': `
      peripheral resolve ${ofCentral}
      peripheral leSetPrivacyMode peerIdentityAddress=${CENTRAL} mode=1; ${request()}
      peripheral hears scanRequestReceived scannerAddressType=0 scannerAddress=${CENTRAL}, nothing
      central hears 2 advertisingReport, nothing`,
  });
});
