import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/mqtt.js';
import { Program } from '../support/program.js';
import { newFolder } from '../support/folders.js';

/** The setting of a broker that does not wait for slow consumers; its own default is to drop after 1,000. */
const CONFIG = ['allow_anonymous true', 'max_queued_messages 0', 'log_dest stderr'];

export interface RunningBroker {
  readonly url: string;
  readonly stop: () => Promise<unknown>;
}

/** Mosquitto, on a free port of loopback. */
export const startBroker = async (): Promise<RunningBroker> => {
  const port = await freePort();
  const config = join(newFolder(), 'mosquitto.conf');
  writeFileSync(config, [`listener ${port} 127.0.0.1`, ...CONFIG, ''].join('\n'));
  const program = Program.of(spawn('mosquitto', ['-c', config], { stdio: ['ignore', 'pipe', 'pipe'] }));
  await program.logged([' running']);
  return {
    url: `mqtt://127.0.0.1:${port}`,
    stop: () => program.signal('SIGTERM'),
  };
};
