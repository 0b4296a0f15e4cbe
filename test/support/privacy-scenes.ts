/** The keys and private addresses of hosts whose controllers handle privacy. */
import { LeSubevent, events } from '../../src/ble/hci/packets.js';
import { isMadeWith } from '../../simulators/ble/device-address.js';
import { bytes, isLeEvent, type AirHost } from './hci-host.js';
import { CENTRAL, PERIPHERAL } from './hci-scenes.js';

/** A key, and addresses made with it by OpenSSL 3.0; the most significant octet first. */
interface Key {
  readonly irk: string;
  readonly addresses: readonly [string, string, string];
}

export const keys = {
  /** The key and the first address are the sample data of Core 5.4 Vol 3 Part H Appendix D.7. */
  peripheral: {
    irk: 'ec0234a357c8ad05341010a60a397d9b',
    addresses: ['70:81:94:0D:FB:AA', '40:00:01:A7:12:B0', '5A:1B:2C:02:81:32'],
  },
  central: {
    irk: '02'.repeat(16),
    addresses: ['70:81:94:44:08:45', '40:00:01:29:FD:D2', '5A:1B:2C:71:CB:7A'],
  },
  stranger: {
    irk: '03'.repeat(16),
    addresses: ['70:81:94:14:50:78', '40:00:01:36:FF:B1', '5A:1B:2C:3D:1F:F4'],
  },
} satisfies Readonly<Record<string, Key>>;

/** HCI takes the least significant octet first. */
const onWire = ({ irk }: Key): string => `x${bytes(irk).reverse().toString('hex')}`;

export const NO_KEY = `x${'00'.repeat(16)}`;

/** Fields of entries in a resolving list: public identities, with the keys that central and peripheral have of each other. */
export const ofPeripheral = `peerIdentityAddress=${PERIPHERAL} peerIrk=${onWire(keys.peripheral)} localIrk=${onWire(keys.central)}`;
export const ofCentral = `peerIdentityAddress=${CENTRAL} peerIrk=${onWire(keys.central)} localIrk=${onWire(keys.peripheral)}`;
/** A key of a third device. */
export const STRANGER_KEY = onWire(keys.stranger);

/** Whether an address was made with this key. */
export const isOf = (key: Key, address: string | undefined): boolean =>
  address !== undefined && isMadeWith(bytes(key.irk), address);

/** All LE events, LE Enhanced Connection Complete among them. */
export const ENHANCED_EVENTS = 'leSetEventMask mask=xFFFFF7FFFFFFFFFF';

/** The senders of the unread legacy reports: address types and addresses. */
export const senders = (host: AirHost): readonly string[] =>
  host.take(isLeEvent(LeSubevent.advertisingReport)).map((event) => {
    const { addressType, address } = events.advertisingReport.read(event.subarray(4));
    return `${addressType} ${address}`;
  });
