/** The flags of all servers. */
import type { Option } from 'commander';
import type { HciSpec } from '../../ble/hci/spec.js';
import { historyOptions, type MemoryFlags } from './memory.js';
import { mqttOptions, type MqttFlags } from './mqtt.js';
import {
  bluezFlag,
  grouped,
  hciFlag,
  portFlag,
  secondsFlag,
  switchFlag,
  textFlag,
  type BluezSpec,
} from './options.js';
import { proxyOptions, type ProxyFlags } from './proxies.js';
import { protectionOptions, type ProtectionFlags } from './protection.js';

export interface ServerFlags extends ProtectionFlags, MqttFlags, ProxyFlags, MemoryFlags {
  readonly address: string;
  readonly port: number;
  readonly verbose: number;
  readonly hci: HciSpec;
  readonly bluez: BluezSpec | undefined;
  readonly connectTimeout: number;
  readonly discoverTimeout: number;
  readonly gattTimeout: number;
  readonly mdns: boolean;
}

const ofNetwork = grouped('Network');

/** A time limit in seconds; `fallback` is in milliseconds, as in the limits of servers. */
export const limitFlag = (name: string, description: string, fallback: number): Option =>
  secondsFlag(`${name} <secs>`, description, { min: 0.1, max: 600 }, fallback / 1000);
export const DAY = 86_400;

export const ms = (secs: number): number => secs * 1000;

export const commonOptions = (): readonly Option[] =>
  [
    textFlag('--address <address>', 'address to listen on', '0.0.0.0'),
    portFlag('--port <number>', 'port to listen on; 0 takes a free one', 3000),
    hciFlag('BlueZ'),
    bluezFlag(),
    ...proxyOptions(),
  ].map(ofNetwork);

/** The flags of every server and of the rig: time limits of the radio, and access. */
export const sharedOptions = (): readonly Option[] => [
  limitFlag('--connect-timeout', 'limit for one connection attempt', 10_000),
  limitFlag('--discover-timeout', 'limit for discovery, and for each subscription', 10_000),
  limitFlag('--gatt-timeout', 'limit for one read or write', 5_000),
  ...historyOptions(),
  ...protectionOptions(),
  ...mqttOptions(),
  ofNetwork(switchFlag('--mdns', 'announce the server on its network, as _airbench._tcp')),
];
