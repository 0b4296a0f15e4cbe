import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { MINUTE_MS } from '../../src/async/time.js';
import { openMinuteLog } from '../../src/system/log.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import { Executor } from '../../src/operations/index.js';
import { heardDevices } from '../support/fake-fleet.js';
import { keeper } from '../support/keep.js';
import { Consumer, fleetOn, has, startAedes } from '../support/mqtt.js';
import { manualTime } from '../support/manual-time.js';
import { steppedTime } from '../support/stepped-time.js';

const SERVER = 'airbench/dice/servers/one';

const openLog = () => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
  );
  return { lines, log };
};

describe('The minute log of a server on a broker', () => {
  const keep = keeper();

  it('writes the first line of a kind at once, and one for all others of the minute at its end', () => {
    const { lines, log } = openLog();
    const time = manualTime();
    const minuteLog = openMinuteLog(log, time);
    for (const message of ['first', 'second', 'third']) minuteLog.write('warn', 'a', message, { x: message });
    minuteLog.write('error', 'b', 'other');
    expect(lines.splice(0)).to.deep.equal([
      { level: 40, x: 'first', msg: 'first' },
      { level: 50, msg: 'other' },
    ]);
    time.advance(MINUTE_MS);
    expect(lines.splice(0)).to.deep.equal([{ level: 40, x: 'third', times: 2, msg: 'third' }]);
    expect(time.pending).to.equal(0);
    for (const message of ['first', 'second']) minuteLog.write('warn', 'a', message);
    minuteLog.close();
    expect(lines.at(-1)).to.deep.equal({ level: 40, times: 1, msg: 'second' });
    minuteLog.write('warn', 'late', 'after the end');
    expect(lines).to.have.length(2);
    expect(time.pending).to.equal(0);
  });

  /** A server called `one` on the broker, and its lines about namesakes. */
  const started = async (port: number, consumer: Consumer) => {
    const time = steppedTime();
    const { lines, log } = openLog();
    const { fleet } = keep(fleetOn(port, 'dice', { time, log }));
    const metrics = openMetrics('dice');
    fleet.join({
      executor: new Executor({ time, log, metrics, requestsPerMinute: 0 }),
      operations: {},
      devices: () => [],
      device: () => undefined,
      heard: heardDevices('one', time),
    });
    await consumer.on(SERVER, has({ status: 'online' }));
    return {
      time,
      namesakes: () => lines.filter(({ msg }) => String(msg).startsWith('another server')),
      /** Resolves when the server has received all earlier messages. */
      settled: async () => {
        await consumer.say(`${SERVER}/commands/any`, {});
        await consumer.on(`${SERVER}/result`);
      },
    };
  };

  const statusOf = (instance: string, status = 'online') => ({ status, name: 'one', instance, version: '0' });

  for (const [status, count] of [
    ['offline', 0],
    ['online', 1],
  ] as const)
    it(`writes ${count === 0 ? 'no' : 'a'} line about a retained namesake that is ${status}, and one about all later namesakes`, async () => {
      const { port } = keep(await startAedes());
      const retaining = keep(await Consumer.of(port, 'none'));
      await retaining.say(SERVER, statusOf('earlier', status), { retain: true });
      const consumer = keep(await Consumer.of(port));
      await consumer.on(SERVER);
      const { time, namesakes, settled } = await started(port, consumer);
      await settled();
      expect(namesakes()).to.have.length(count);
      for (let ghost = 0; ghost < 50; ghost++) await consumer.say(SERVER, statusOf(`ghost-${ghost}`));
      await settled();
      expect(namesakes()).to.have.length(1);
      time.advance(MINUTE_MS);
      expect(namesakes().map(({ times }) => times)).to.deep.equal([undefined, 49 + count]);
    });
});
