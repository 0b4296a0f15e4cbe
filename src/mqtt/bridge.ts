/** A server itself as Home Assistant shows it: the device through which its devices are reached. */
import { ServerState } from '../contract/index.js';
import type { Topics } from '../contract/topics.js';
import type { Broker } from './broker.js';
import type { Discovery } from './home-assistant.js';
import type { MemberDevice } from './member.js';

export interface Bridge {
  /** Tells Home Assistant of the server again: at a new connection, and when Home Assistant was started. */
  readonly introduce: () => void;
  /** Publishes how many devices have a link, if that has changed. */
  readonly update: () => void;
}

export interface BridgeOptions {
  readonly topics: Topics;
  readonly broker: () => Pick<Broker, 'connected' | 'publish'>;
  readonly devices: () => readonly MemberDevice[];
  readonly discovery: Discovery;
}

export const openBridge = ({ topics, broker, devices, discovery }: BridgeOptions): Bridge => {
  let last = '';

  const update = (): void => {
    const connected = devices().filter(({ isConnected }) => isConnected).length;
    const payload = JSON.stringify(ServerState.encode({ connected }));
    if (payload === last || !broker().connected) return;
    last = payload;
    broker().publish(topics.serverState, payload, { retain: true });
  };

  return {
    introduce: () => {
      broker().publish(discovery.server.topic, discovery.server.payload(), { retain: true });
      last = '';
      update();
    },
    update,
  };
};

/** Without Home Assistant. */
export const NO_BRIDGE: Bridge = { introduce: () => undefined, update: () => undefined };
