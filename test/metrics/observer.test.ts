import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openMetrics } from '../../src/metrics/index.js';

describe('buffered observations', () => {
  it('are in the histogram once each, whenever the figures are read', async () => {
    const metrics = openMetrics('dice');
    const took = metrics.observer(metrics.operationSeconds, (operation) => ({ operation }));
    const figure = async (part: string): Promise<number> => {
      const line = (await metrics.text())
        .split('\n')
        .find((text) => text.startsWith(`airbench_radio_operation_duration_seconds_${part}`));
      return Number(line?.split(' ').at(-1));
    };
    for (let n = 0; n < 2_500; n++) took('write', 0.25);
    took('read', 40);
    expect(await figure('count{operation="write"}')).to.equal(2_500);
    expect(await figure('sum{operation="write"}')).to.equal(625);
    expect(await figure('bucket{le="30",operation="read"}')).to.equal(0);
    expect(await figure('bucket{le="60",operation="read"}')).to.equal(1);
    took('write', 0.25);
    expect(await figure('count{operation="write"}')).to.equal(2_501);
  });
});
