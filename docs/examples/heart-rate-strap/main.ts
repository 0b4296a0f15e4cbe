/** The strap as a program, until Ctrl-C: `node main.js [HCI_PORT CONTROL_PORT]`. */
import { startWorld } from './world.js';

const [hciPort, controlPort] = process.argv.slice(2).map(Number);

try {
  const world = await startWorld({ pace: 'real' }, hciPort ?? 6402, controlPort ?? 3100);
  process.once('SIGINT', () => void world.close());
  console.log(`tcp:127.0.0.1:${world.hciPort}  http://127.0.0.1:${world.controlPort}/devices`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
