/** The strap as a program, until Ctrl-C. */
import { startWorld } from './world.js';

const world = await startWorld({ pace: 'real' }, 6402, 3100);
console.log(`tcp:127.0.0.1:${world.hciPort}  http://127.0.0.1:${world.controlPort}/devices`);
process.once('SIGINT', () => void world.close());
