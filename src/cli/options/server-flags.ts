/** The flags of servers, whichever they are. */
import type { Option } from 'commander';
import type { HciSpec } from '../../ble/hci/spec.js';
import { mqttOptions, type MqttFlags } from './mqtt.js';
import { hciFlag, portFlag, secondsFlag, switchFlag, textFlag } from './options.js';
import { proxyOptions, type ProxyFlags } from './proxies.js';
import { protectionOptions, type ProtectionFlags } from './protection.js';

export interface ServerFlags extends ProtectionFlags, MqttFlags, ProxyFlags {
  readonly address: string;
  readonly port: number;
  readonly verbose: number;
  readonly hci: HciSpec;
  readonly connectTimeout: number;
  readonly discoverTimeout: number;
  readonly gattTimeout: number;
  readonly mdns: boolean;
}

/** Seconds that anything may take. */
export const TIMEOUT = { min: 0.1, max: 600 };
export const DAY = 86_400;

export const ms = (secs: number): number => secs * 1000;

export const commonOptions = (): readonly Option[] => [
  textFlag('--address <address>', 'address to listen on', '0.0.0.0'),
  portFlag('--port <number>', 'port to listen on; 0 takes a free one', 3000),
  hciFlag(),
  ...proxyOptions(),
];

/** The flags of every server and of the rig: time limits of the radio, and access. */
export const sharedOptions = (): readonly Option[] => [
  secondsFlag('--connect-timeout <secs>', 'limit for one connection attempt', TIMEOUT, 10),
  secondsFlag('--discover-timeout <secs>', 'limit for discovery, and for each subscription', TIMEOUT, 10),
  secondsFlag('--gatt-timeout <secs>', 'limit for one read or write', TIMEOUT, 5),
  ...protectionOptions(),
  ...mqttOptions(),
  switchFlag('--mdns', 'announce the server on its network, as _airbench._tcp'),
];
