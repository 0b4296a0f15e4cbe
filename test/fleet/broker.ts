import { join } from 'node:path';
import { Mosquitto } from '../../features/support/loopback.js';
import { newFolder } from '../support/folders.js';
import { OPEN_TO_ALL } from '../support/mqtt.js';

/** Settings of a broker that does not wait for slow consumers; its own default is to drop after 1,000. */
const CONFIG = [...OPEN_TO_ALL, 'max_queued_messages 0', 'sys_interval 1'];

export interface RunningBroker {
  readonly url: string;
  readonly stop: () => Promise<void>;
  /** On the same port, with all that it retained or with nothing. */
  readonly restart: (remembers: boolean) => Promise<void>;
}

/** Mosquitto, on a free port of loopback. */
export const startBroker = async (): Promise<RunningBroker> => {
  const folder = newFolder();
  const remembering = [...CONFIG, 'persistence true', `persistence_location ${join(folder, '/')}`];
  const broker = await Mosquitto.start(folder, remembering);
  return {
    url: `mqtt://127.0.0.1:${broker.port}`,
    stop: () => broker.stop(),
    restart: async (remembers) => {
      // In order, it writes what it retains to a file.
      await broker.stop();
      await broker.start(remembers ? remembering : CONFIG);
    },
  };
};
