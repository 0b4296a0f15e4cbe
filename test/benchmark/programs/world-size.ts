/** What a number of dice costs, up and connected: `world-size DICE`, with `--expose-gc`. */
import { decodeSpecs, World } from '../../../simulators/control/index.js';
import { Air, H4Server, VirtualSocket } from '../../../simulators/radio/index.js';
import { succeeded } from '../either.js';
import { connectAll, openNoble } from './noble-hosts.js';
import { cpuUsed, onQuestion, say } from './said.js';

const [count = 0] = process.argv.slice(2).map(Number);
const air = new Air({ pace: 'fast' });
const world = new World(air, new H4Server(air));
const [spec] = succeeded(decodeSpecs([{ kind: 'dice' }]));

const bytesUsed = (): number => {
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
};

/** A world of so many, and a host that is connected to them all. */
const bring = async (dice: number, host: string): Promise<void> => {
  const before = new Set(world.list().map(({ address }) => address));
  for (let die = 0; die < dice; die++) if (spec !== undefined) succeeded(await world.add(spec)());
  const own = world.list().flatMap(({ address }) => (before.has(address) ? [] : [address]));
  await connectAll(await openNoble(new VirtualSocket(air, { address: host, maxLinks: dice })), own);
};

// What is loaded once, whatever the number.
await bring(1, '02:A1:B0:00:00:01');
const { cpu } = cpuUsed();
const bytes = bytesUsed();
await bring(count, '02:A1:B0:00:00:02');
const used = cpuUsed().cpu - cpu;
say({ ms: (used * 1_000) / count, mb: (bytesUsed() - bytes) / 1024 ** 2 / count });
onQuestion(cpuUsed);
