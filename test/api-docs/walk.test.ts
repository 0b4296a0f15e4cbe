import { describe, it } from 'mocha';
import { walk } from './walk.js';
describe('walk', function () {
  this.timeout(20000);
  it('x', async () => {
    const r = await walk();
    for (const x of r) console.log(x.contract.name, x.exchanges.length, x.messages.length);
  });
});
