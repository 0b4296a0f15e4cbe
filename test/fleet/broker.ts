import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../features/support/free-port.js';
import { Program } from '../../src/testing/internal/program.js';
import { newFolder } from '../support/folders.js';

/** Settings of a broker that does not wait for slow consumers; its own default is to drop after 1,000. */
const CONFIG = ['allow_anonymous true', 'max_queued_messages 0', 'log_dest stderr', 'sys_interval 1'];

export interface RunningBroker {
  readonly url: string;
  readonly stop: () => Promise<unknown>;
  /** On the same port, with all that it retained or with nothing. */
  readonly restart: (remembers: boolean) => Promise<void>;
}

/** Mosquitto, on a free port of loopback. */
export const startBroker = async (): Promise<RunningBroker> => {
  const port = await freePort();
  const folder = newFolder();
  const config = (remembers: boolean): string => {
    const path = join(folder, `mosquitto-${remembers}.conf`);
    const memory = remembers ? ['persistence true', `persistence_location ${folder}/`] : [];
    const lines = [`listener ${port} 127.0.0.1`, `user ${userInfo().username}`, ...CONFIG, ...memory, ''];
    writeFileSync(path, lines.join('\n'));
    return path;
  };
  const start = async (remembers: boolean): Promise<Program> => {
    const program = Program.of(
      spawn('mosquitto', ['-c', config(remembers)], { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    await program.logs([' running']);
    return program;
  };
  let program = await start(true);
  return {
    url: `mqtt://127.0.0.1:${port}`,
    stop: () => program.signal('SIGTERM'),
    restart: async (remembers) => {
      // In order, it writes what it retains to a file.
      await program.signal('SIGTERM');
      program = await start(remembers);
    },
  };
};
