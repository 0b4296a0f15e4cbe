import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Closers } from '../../src/cli/process/closers.js';

describe('Closers', () => {
  const recorded = () => {
    const order: string[] = [];
    const closer = (name: string) => () => {
      order.push(name);
      return Promise.resolve();
    };
    return { order, closer, closers: new Closers() };
  };

  it('run once, the newest first', async () => {
    const { order, closer, closers } = recorded();
    closers.add(closer('radio'));
    closers.add(closer('server'));
    expect(closers.closed).to.equal(false);
    await Promise.all([closers.close(), closers.close()]);
    expect(closers.closed).to.equal(true);
    expect(order).to.deep.equal(['server', 'radio']);
  });

  it('run at once when they are added too late', async () => {
    const { order, closer, closers } = recorded();
    closers.add(closer('radio'));
    await closers.close();
    closers.add(closer('late'));
    expect(order).to.deep.equal(['radio', 'late']);
  });
});
