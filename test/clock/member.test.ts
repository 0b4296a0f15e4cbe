/** Work on a clock that a server begins by itself: it ends with the link. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { ClockMember } from '../../src/clock/member.js';
import { Zones } from '../../src/clock/zones.js';
import type { DeviceError } from '../../src/devices/device-error.js';
import { silent } from '../support/log.js';
import { otherTurns } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';

const address = '58:2D:34:00:00:01';
const REFUSED: E.Either<DeviceError, never> = E.left({ _tag: 'Busy', address });

describe('Work on a clock', () => {
  /** The signals of the work, in its order. */
  let signals: AbortSignal[];
  /** Ends the work that runs. */
  let finish: () => void;
  let isConnected: boolean;

  beforeEach(() => {
    signals = [];
    isConnected = true;
  });

  const work = (signal: AbortSignal) => async (): Promise<typeof REFUSED> => {
    signals.push(signal);
    await new Promise<void>((resolve) => (finish = resolve));
    return REFUSED;
  };
  const sessions = {
    ...{ addresses: [address], has: () => isConnected, check: () => E.right(undefined), all: [] },
    isConnected: () => isConnected,
    run: (_address: string, signal: AbortSignal) => work(signal),
  };
  const time = manualTime();

  const openMember = () => {
    const read = (_address: string, signal: AbortSignal) => work(signal);
    return new ClockMember({
      ...{ sessions, time, fleet: { state: 'connected', changed: () => undefined } },
      sightings: { of: () => undefined, battery: () => undefined },
      memory: { labelOf: () => null },
      reads: { settings: read, alarms: read, firmware: read },
    });
  };

  const openZones = () =>
    new Zones({
      ...{ sessions, time, log: silent, queue: { announced: () => () => () => Promise.resolve(REFUSED) } },
      memory: {
        ...{ zoneOf: () => 'Europe/Berlin', setZone: () => undefined },
        records: { loaded: Promise.resolve() },
      },
    });

  for (const [name, open] of [
    ['reads for a broker', openMember],
    ['writes of the time zone', openZones],
  ] as const)
    for (const [event, end] of [
      ['the link ends', (of: ReturnType<typeof open>) => of.changed(address)],
      ['the server closes', (of: ReturnType<typeof open>) => of.close()],
    ] as const)
      it(`is aborted when ${event}: ${name}`, async () => {
        const opened = open();
        opened.changed(address);
        await otherTurns();
        expect(signals.map(({ aborted }) => aborted)).to.deep.equal([false]);
        isConnected = event === 'the server closes';
        end(opened);
        expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true]);
        finish();
        await otherTurns();
        expect([signals.length, time.pending]).to.deep.equal([1, 0]);
      });
});
