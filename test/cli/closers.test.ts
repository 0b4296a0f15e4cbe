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

  it('runs each closer once, the newest first', async () => {
    const { order, closer, closers } = recorded();
    closers.add(closer('radio'));
    closers.add(closer('server'));
    expect(closers.closed).to.equal(false);
    await Promise.all([closers.close(), closers.close()]);
    expect(closers.closed).to.equal(true);
    expect(order).to.deep.equal(['server', 'radio']);
  });

  it('runs a closer immediately if it is added after the end', async () => {
    const { order, closer, closers } = recorded();
    closers.add(closer('radio'));
    await closers.close();
    closers.add(closer('late'));
    expect(order).to.deep.equal(['radio', 'late']);
  });
});
