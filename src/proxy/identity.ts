/** The description of a proxy for its clients. */
import { API_VERSION, Feature, type MessageOf } from '../protocols/esphome/index.js';
import { version } from '../system/package.js';

export interface Identity {
  /** In the form of a host name. */
  readonly name: string;
  /** The address of the proxy and of its Bluetooth, `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
  readonly encrypted: boolean;
}

/** The version of ESPHome that the proxy imitates; clients check it. */
export const ESPHOME_VERSION = '2026.8.0';

/** All features but pairing. */
const FEATURES =
  Feature.passiveScan |
  Feature.activeConnections |
  Feature.remoteCaching |
  Feature.cacheClearing |
  Feature.rawAdvertisements |
  Feature.stateAndMode |
  Feature.connectionParameters;

export const hello = ({ name }: Identity): MessageOf<'HelloResponse'> => ({
  ...API_VERSION,
  ...{ serverInfo: `airbench ${version}`, name },
});

export const deviceInfo = ({ name, mac, encrypted }: Identity): MessageOf<'DeviceInfoResponse'> => ({
  ...{ name, friendlyName: name, macAddress: mac, bluetoothMacAddress: mac },
  ...{ esphomeVersion: ESPHOME_VERSION, model: 'airbench', manufacturer: 'airbench' },
  ...{ bluetoothProxyFeatureFlags: FEATURES, apiEncryptionSupported: encrypted },
});

export const capabilities = ({ mac }: Identity): MessageOf<'DeviceCapabilitiesResponse'> => ({
  bluetoothProxy: { featureFlags: FEATURES, macAddress: mac },
});
