/** The judge of chaos runs must see what is wrong. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import type { DetailedDiceEvent } from '../../src/dice/contract.js';
import { Trace } from '../../simulators/radio/index.js';
import { bytes } from '../support/hci-host.js';
import { endOf, readCapture, type LinkLife } from './capture.js';
import { wrongError } from './contract.js';
import { diceFaults } from './dice-truth.js';
import { isAfterEnd, linksOf, pair } from './truth.js';

const ADAPTER = '02:A1:B0:00:00:01';
const DIE = 'D1:CE:00:00:00:01';

/** LE Connection Complete: handle 0x0040, central, of `DIE` (random); 7.5 ms, timeout 4 s. */
const CONNECTED = bytes('04 3E 13 01 00 40 00 00 01 01 00 00 00 CE D1 06 00 00 00 90 01 00');
/** Disconnection Complete: handle 0x0040, connection timeout. */
const ENDED = bytes('04 05 04 00 40 00 08');
/** Read By Type Response: declaration 0x000D, notify, value 0x000E, 6E400003-B5A3-F393-E0A9-E50E24DCCA9E. */
const CHARACTERISTICS = bytes(
  '02 40 20 1B 00 17 00 04 00 09 15 0D 00 10 0E 00 9E CA DC 24 0E E5 A9 E0 93 F3 A3 B5 03 00 40 6E',
);
/** Write Request to 0x000C: initialise. */
const INITIALISE = bytes('02 40 00 0A 00 06 00 04 00 12 0C 00 19 1E 03');

const notification = (value: string): Buffer => {
  const data = bytes(value);
  const pdu = Buffer.concat([bytes('1B 0E 00'), data]);
  const l2cap = Buffer.concat([Buffer.from([pdu.length, 0, 4, 0]), pdu]);
  return Buffer.concat([Buffer.from([2, 0x40, 0x20, l2cap.length, 0]), l2cap]);
};

/** `Bat` 100, `S` 1 2 3, `Char` 0: what a die says first. */
const BURST = ['42 61 74 64', '53 01 02 03', '43 68 61 72 00'];
const ROLL = '52';
const REST = '53 04 05 06';

/** The capture of links, on each of which a die said all that. */
const captureOf = (...links: readonly (readonly string[])[]) => {
  const trace = new Trace();
  trace.opened(0, DIE, 'die');
  trace.opened(1, ADAPTER, 'hci0');
  for (const values of links) {
    trace.toHost(1, CONNECTED);
    trace.toHost(1, CHARACTERISTICS);
    trace.fromHost(1, INITIALISE);
    for (const value of values) trace.toHost(1, notification(value));
    trace.toHost(1, ENDED);
  }
  return readCapture([trace.snapshot()], (address) => (address === ADAPTER ? 'server' : undefined));
};

const event = (kind: 'RollStart' | 'Disconnected' | 'Reconnected'): DetailedDiceEvent => ({ kind, ...stamp });
const stable = (x: number, y: number, z: number): DetailedDiceEvent => ({
  ...{ kind: 'Stable', face: 1, acceleration: { x, y, z } },
  ...stamp,
});
const stamp = {
  session_id: 's',
  address: DIE,
  time: new Date(Date.now() + 60_000).toISOString(),
  seq: 1,
  instance: 'i',
};

const faultsOf = (values: readonly string[], reported: readonly DetailedDiceEvent[]): readonly string[] =>
  diceFaults(captureOf(values), DIE, reported);

describe('The judge of a chaos run', () => {
  it('reads links and notifications from a capture', () => {
    const { links, attributes } = captureOf([ROLL]);
    expect(links.map(({ address, notified }) => [address, notified.length])).to.deep.equal([[DIE, 1]]);
    expect(links[0]?.to).to.be.below(Infinity);
    expect([...attributes.values()]).to.deep.equal([0x0e]);
  });

  it('accepts what was reported once, in order, and the burst kept', () => {
    const reported = [event('RollStart'), stable(4, 5, 6), event('Disconnected')];
    expect(faultsOf([...BURST, ROLL, REST], reported)).to.deep.equal([]);
  });

  const wrong: readonly (readonly [string, readonly DetailedDiceEvent[]])[] = [
    ['missing', [event('RollStart'), event('Disconnected')]],
    ['doubled', [event('RollStart'), event('RollStart'), stable(4, 5, 6), event('Disconnected')]],
    ['swapped', [stable(4, 5, 6), event('RollStart'), event('Disconnected')]],
    ['made up', [event('RollStart'), stable(4, 5, 7), event('Disconnected')]],
  ];
  for (const [what, reported] of wrong) {
    it(`sees an event that is ${what}`, () => {
      expect(faultsOf([...BURST, ROLL, REST], reported)).to.have.length(1);
    });
  }

  it('accepts that the rest of a roll that ends as the die is initialised is reported once, or not at all', () => {
    const rest = BURST[1] ?? '';
    for (const reported of [[], [stable(1, 2, 3)]])
      expect(faultsOf([rest, ...BURST], [...reported, event('Disconnected')])).to.deep.equal([]);
    expect(faultsOf([ROLL, rest, ...BURST], [event('RollStart'), event('Disconnected')])).to.have.length(1);
  });

  it('sees a burst of which too much was kept', () => {
    expect(faultsOf([...BURST, ...BURST], [event('Disconnected')])).to.have.length(1);
  });

  it('sees a roll that began before a loss and whose end after it was not reported', () => {
    const twoLinks = captureOf([...BURST, ROLL], BURST);
    const [first = 0, second = 0] = twoLinks.links.map(({ to }) => to);
    const at = (ms: number, of: DetailedDiceEvent): DetailedDiceEvent => ({
      ...of,
      time: new Date(ms).toISOString(),
    });
    const faults = (...reported: readonly DetailedDiceEvent[]): readonly string[] =>
      diceFaults(twoLinks, DIE, [
        ...[event('RollStart'), event('Disconnected')].map((of) => at(first, of)),
        ...[event('Reconnected'), ...reported, event('Disconnected')].map((of) => at(second, of)),
      ]);
    expect(faults(stable(1, 2, 3))).to.deep.equal([]);
    expect(faults()).to.have.length(1);
  });

  it('allows events to be kept as often as they may be, and no more', () => {
    const due = [1, 2, 3].map((at) => ({ at, says: 'x', mayKeep: ['why'] }));
    const reported = [{ at: 9, says: 'x' }];
    expect(E.isRight(pair(due, reported, () => 2))).to.equal(true);
    expect(E.isRight(pair(due, reported, () => 1))).to.equal(false);
  });

  const life = (from: number, to: number, asked?: number): LinkLife => ({
    ...{ address: DIE, from, to, asked, notified: [], written: [] },
  });
  const attached = (end: number, ...at: readonly number[]) => ({
    end,
    reported: at.map((when) => ({ at: when, says: 'x' })),
  });

  it('finds the link of what was reported, though the next one is there in the same millisecond', () => {
    const links = [life(10, 20.2), life(20.3, 20.8), life(21.5, 40), life(41, 50)];
    expect(linksOf(links, [attached(20), attached(40, 22), attached(50)])).to.deep.equal([
      ...[links[0], links[2], links[3]],
    ]);
    expect(linksOf(links, [attached(5)])).to.deep.equal([undefined]);
  });

  it('lets the server keep what came when the end was wished for, and nothing of a link that was lost', () => {
    const passed = (at: number) => ({ at, attribute: 1, value: Buffer.alloc(0) });
    const mayKeep = (link: LinkLife, end: number, disconnects: readonly number[], at: number): boolean =>
      isAfterEnd(link, attached(end), disconnects, passed(at));
    expect(mayKeep(life(10_000, 30_000), 30_000, [], 29_999), 'lost').to.equal(false);
    expect(mayKeep(life(10_000, 30_000), 30_000, [28_500], 28_000), 'a client asked').to.equal(true);
    expect(mayKeep(life(10_000, 30_000), 30_000, [28_500], 27_000), 'before he asked').to.equal(false);
    expect(mayKeep(life(10_000, 30_000), 30_000, [12_000], 13_000), 'asked in vain').to.equal(false);
    expect(mayKeep(life(10_000, 30_000), 28_500, [], 28_000), 'the server said so').to.equal(true);
    expect(mayKeep(life(10_000, 30_000.2, 30_000), 30_000, [], 29_500), 'the host did').to.equal(true);
  });

  it('knows the errors of both servers by their documentation', () => {
    expect(wrongError('dice', 500, 'link_lost', 'the link was lost')).to.equal(undefined);
    expect(wrongError('clock', undefined, 'auth_failed', 'the clock refused')).to.equal(undefined);
    expect(wrongError('dice', 404, 'link_lost', 'the link was lost')).to.contain('404');
    expect(wrongError('dice', 500, 'internal_error', 'the server failed')).to.contain('internal_error');
    expect(wrongError('clock', undefined, 'oops', 'something happened')).to.contain('oops');
  });
});

describe('The end of a capture', () => {
  const trace = new Trace();
  trace.opened(0, DIE, 'die');
  const one = trace.snapshot();
  trace.toHost(0, CONNECTED);
  const two = trace.snapshot();

  it('is when its last record was made', () => {
    expect(endOf(two)).to.be.within(endOf(one), Date.now());
    expect(endOf(one)).to.be.within(Date.now() - 60_000, Date.now());
  });

  it('is that of the last that is whole', () => {
    expect(endOf(two.subarray(0, -1))).to.equal(endOf(one));
  });

  it('is before all time where there is no record', () => {
    expect([endOf(Buffer.alloc(0)), endOf(one.subarray(0, 16))]).to.deep.equal([-Infinity, -Infinity]);
  });
});
