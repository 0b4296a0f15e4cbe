import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { topicsOf } from '../../src/contract/topics.js';
import { MOST_DEVICES } from '../../src/mqtt/bounded.js';
import { FORGET_MS, Hearing, REPEAT_MS, type Listen } from '../../src/mqtt/hearing.js';
import { readHeard } from '../../src/mqtt/messages.js';
import { DEVICE, fakePeer } from '../support/fake-fleet.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

/** The address of a made-up device. */
const madeUp = (index: number): string =>
  `00:00:00:00:${(index >> 8).toString(16).padStart(2, '0')}:${(index & 0xff).toString(16).padStart(2, '0')}`.toUpperCase();

const TOPIC = 'airbench/dice/servers/one/heard';

describe('The devices that a server hears', () => {
  let time: ManualTime;
  let hearing: Hearing;
  let reports: (readonly (readonly [address: string, rssi: number])[])[];
  let advertise: Parameters<Listen>[0] | undefined;

  beforeEach(() => {
    time = manualTime();
    reports = [];
    const publish = (topic: string, payload: string): void => {
      expect(topic).to.equal(TOPIC);
      const { devices } = readHeard(Buffer.from(payload)) ?? expect.fail(payload);
      reports.push(devices.map(({ address, rssi }) => [address, rssi]));
    };
    const peer = fakePeer(topicsOf('airbench', 'dice', 'one'), 'one', { time, publish });
    hearing = new Hearing(peer);
    hearing.join((listener) => {
      advertise = listener;
      return () => (advertise = undefined);
    });
    hearing.opened();
  });

  it('are reported at once, and every ten seconds with their last signals until they are silent', () => {
    advertise?.(DEVICE, -70);
    advertise?.(madeUp(1), -60);
    time.advance(0);
    expect(reports.splice(0)).to.deep.equal([
      [
        [DEVICE, -70],
        [madeUp(1), -60],
      ],
    ]);
    time.advance(REPEAT_MS);
    reports = [];
    advertise?.(DEVICE, -50);
    time.advance(FORGET_MS);
    expect(reports.map((report) => Object.fromEntries(report))).to.deep.equal([
      { [DEVICE]: -50, [madeUp(1)]: -60 },
      { [DEVICE]: -50 },
    ]);
    time.advance(10 * REPEAT_MS);
    expect(reports).to.have.length(2);
  });

  it('are the newest ones, in messages of at most 500', () => {
    for (let count = 0; count <= MOST_DEVICES; count++) advertise?.(madeUp(count), -60);
    time.advance(0);
    expect(reports.map(({ length }) => length)).to.deep.equal([500, 500]);
    expect(reports[0]?.[0]).to.deep.equal([madeUp(1), -60]);
  });

  it('are forgotten with the connection to the broker, and heard again at the next one', () => {
    advertise?.(DEVICE, -70);
    hearing.lost();
    expect(advertise).to.equal(undefined);
    time.advance(REPEAT_MS);
    hearing.opened();
    advertise?.(madeUp(1), -60);
    time.advance(0);
    expect(reports).to.deep.equal([[[madeUp(1), -60]]]);
  });
});
