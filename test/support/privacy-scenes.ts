/** Frequent actions of hosts that leave private addresses to their controllers. */
import { LeSubevent, events } from '../../src/ble/hci/packets.js';
import { isMadeWith } from '../../simulators/ble/device-address.js';
import { bytes, isLeEvent, type AirHost } from './hci-host.js';
import { CENTRAL, PERIPHERAL } from './hci-scenes.js';

/** A key, and addresses made with it by OpenSSL 3.0; the most significant octet first. */
interface Key {
  readonly irk: string;
  readonly addresses: readonly [string, string, string];
}

const none = '00'.repeat(16);

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

/** A peer in a resolving list, unless its fields say otherwise: the peripheral's public identity with keys of both. */
interface Entry {
  readonly address: string;
  readonly type: number;
  readonly peerIrk: string;
  readonly localIrk: string;
}

/** HCI takes the least significant octet first. */
const onWire = (irk: string): Buffer => bytes(irk).reverse();

export const NO_KEY = none;

/** The keys that central and peripheral have of each other. */
export const ofPeripheral: Entry = {
  ...{ address: PERIPHERAL, type: 0, peerIrk: keys.peripheral.irk, localIrk: keys.central.irk },
};
export const ofCentral: Entry = {
  ...{ address: CENTRAL, type: 0, peerIrk: keys.central.irk, localIrk: keys.peripheral.irk },
};

const peerOf = ({ address, type }: Entry) => ({
  peerIdentityAddressType: type,
  peerIdentityAddress: address,
});

/** Adds a device to the resolving list, and enables address resolution. */
export const resolve = async (host: AirHost, entry: Entry): Promise<void> => {
  await host.status('leAddToResolvingList', {
    ...peerOf(entry),
    peerIrk: onWire(entry.peerIrk),
    localIrk: onWire(entry.localIrk),
  });
  await host.status('leSetAddressResolutionEnable', { enable: 1 });
};

export const setPrivacyMode = (host: AirHost, entry: Entry, mode: number): Promise<number> =>
  host.status('leSetPrivacyMode', { ...peerOf(entry), mode });

export const localAddress = async (host: AirHost, entry: Entry): Promise<string | undefined> =>
  (await host.returned('leReadLocalResolvableAddress', peerOf(entry)))?.address;

export const peerAddress = async (host: AirHost, entry: Entry): Promise<string | undefined> =>
  (await host.returned('leReadPeerResolvableAddress', peerOf(entry)))?.address;

/** Whether an address was made with this key. */
export const isOf = (key: Key, address: string | undefined): boolean =>
  address !== undefined && isMadeWith(bytes(key.irk), address);

/** The address on the air of a host that makes its private addresses itself. */
export const useAddress = (host: AirHost, address: string): Promise<number> =>
  host.status('leSetRandomAddress', { address });

/** All LE events, LE Enhanced Connection Complete among them. */
export const wantEnhanced = (host: AirHost): Promise<number> =>
  host.status('leSetEventMask', { mask: bytes('FF FF F7 FF FF FF FF FF') });

/** Waits for a link and returns it in its enhanced form. */
export const enhancedConnected = async (host: AirHost) =>
  events.enhancedConnectionComplete.read(
    (await host.next(isLeEvent(LeSubevent.enhancedConnectionComplete))).subarray(4),
  );

/** Senders of the legacy reports so far: address types and addresses. */
export const senders = (host: AirHost): readonly string[] =>
  host.take(isLeEvent(LeSubevent.advertisingReport)).map((event) => {
    const { addressType, address } = events.advertisingReport.read(event.subarray(4));
    return `${addressType} ${address}`;
  });

/** The same of extended reports, and their targets. */
export const extendedSenders = (host: AirHost): readonly string[] =>
  host.take(isLeEvent(LeSubevent.extendedAdvertisingReport)).map((event) => {
    const report = events.extendedAdvertisingReport.read(event.subarray(4));
    return `${report.addressType} ${report.address} for ${report.directAddressType} ${report.directAddress}`;
  });
