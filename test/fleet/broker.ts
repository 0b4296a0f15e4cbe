/** Mosquitto on a free port of loopback, and its clients. */
import { join } from 'node:path';
import { connectAsync, type OnMessageCallback } from 'mqtt';
import { Mosquitto } from '../../features/support/loopback.js';
import { newFolder } from '../support/folders.js';
import { OPEN_TO_ALL } from '../support/mqtt.js';

/** Settings of a broker that keeps all messages for slow consumers; by default it drops them after 1,000. */
const CONFIG = [...OPEN_TO_ALL, 'max_queued_messages 0', 'sys_interval 1'];

export const startBroker = async () => {
  const folder = newFolder();
  const remembering = [...CONFIG, 'persistence true', `persistence_location ${join(folder, '/')}`];
  const broker = await Mosquitto.start(folder, remembering);
  return {
    url: `mqtt://127.0.0.1:${broker.port}`,
    stop: () => broker.stop(),
    /** Restarts on the same port, with all retained messages or without them. */
    restart: async (remembers: boolean) => {
      // An orderly stop writes the retained messages to a file.
      await broker.stop();
      await broker.start(remembers ? remembering : CONFIG);
    },
  };
};
export type RunningBroker = Awaited<ReturnType<typeof startBroker>>;

export const subscribe = async (url: string, filters: readonly string[], receive: OnMessageCallback) => {
  const client = await connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0 });
  client.on('error', () => undefined).on('message', receive);
  await client.subscribeAsync([...filters], { qos: 1 });
  return client;
};
