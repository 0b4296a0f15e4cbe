/** The strap as a program, until Ctrl-C. */
import { startWorld } from './world.js';

try {
  const world = await startWorld({ pace: 'real' }, 6402, 3100);
  process.once('SIGINT', () => void world.close());
  console.log(`tcp:127.0.0.1:${world.hciPort}  http://127.0.0.1:${world.controlPort}/devices`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
