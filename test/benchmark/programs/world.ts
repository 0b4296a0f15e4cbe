/** A simulated world in no time, for servers on H4: `world DICE CLOCKS`. */
import { cpuUsed, onQuestion, say } from './said.js';
import { openWorld, some } from '../../support/world.js';

const [dice = 0, clocks = 0] = process.argv.slice(2).map(Number);
const { world, port } = await openWorld([...some('dice', dice), ...some('clock', clocks)], {
  maxLinks: dice + clocks,
});
onQuestion(cpuUsed);
say({
  hciPort: port,
  addresses: world.list().map(({ address }) => address),
});
