import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { pino } from 'pino';
import { beforeEach, describe, it } from 'mocha';
import { openedOn } from '../../src/ble/opened-on.js';
import { Connection, type Linked } from '../../src/devices/connection.js';
import type { DeviceError } from '../../src/devices/device-error.js';
import { signalled } from '../support/bluetooth-fixture.js';
import { FakeLink } from '../support/fake-device.js';
import type { FakeDie } from '../support/fake-die.js';
import { FakeRadio } from '../support/fake-radio.js';
import { otherTurns } from '../support/hci-host.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const ADDRESS = 'D1:CE:00:00:00:01';
const RECONNECT_MS = 60_000;

const notFound: DeviceError = { _tag: 'NotFound', address: ADDRESS };

describe('A connection', () => {
  let time: ManualTime;
  let radio: FakeRadio;
  let die: FakeDie;
  let first: FakeLink;
  /** The calls of callbacks, in order. */
  let calls: string[];
  /** The log. */
  let log: string[];
  /** The link that a reconnect makes; undefined: the reconnect fails. */
  let next: FakeLink | undefined;
  let signals: AbortSignal[];
  /** The promise for which a reconnect waits. */
  let held: Promise<void>;
  /** How long a loss may last. */
  let limit: number | null;

  beforeEach(() => {
    time = manualTime();
    radio = new FakeRadio(time);
    die = radio.add(ADDRESS);
    first = new FakeLink(die, ADDRESS);
    calls = [];
    log = [];
    next = undefined;
    signals = [];
    held = Promise.resolve();
  });

  const maintain = (reconnectMs: number | null = RECONNECT_MS, signalMs?: number): Connection<Linked> => {
    limit = reconnectMs;
    const connection = new Connection<Linked>({
      address: ADDRESS,
      radio,
      time,
      random: () => 0.5,
      log: pino({ base: null, timestamp: false }, { write: (line) => log.push(line) }),
      ...{ reconnectMs: () => limit, signalMs, onSignal: (rssi) => calls.push(`signal ${rssi}`) },
      reconnect: (signal) => async () => {
        signals.push(signal);
        await held;
        return next === undefined ? E.left(notFound) : E.right({ link: next });
      },
      onConnected: ({ link }, again) => calls.push(`${link === first ? 'first' : 'next'} ${again}`),
      onDisconnected: () => calls.push('disconnected'),
      onSessionEnded: () => calls.push('ended'),
    });
    connection.start({ link: first });
    return connection;
  };

  const lose = (link: FakeLink): void => link.end({ _tag: 'LinkLost', address: ADDRESS, reason: 8 });

  /** Loses the first link and hears the device; resolves to the link that the reconnect makes. */
  const loseAndHear = async (): Promise<FakeLink> => {
    const made = (next = new FakeLink(die, ADDRESS));
    lose(first);
    radio.advertise(die);
    await otherTurns();
    return made;
  };

  const line = (msg: string) => ({ level: 30, address: ADDRESS, msg });
  const logged = (): unknown[] => log.map((text) => JSON.parse(text) as unknown);

  it('reports the signal of its link again and again, until the link ends', async () => {
    const connection = maintain(RECONNECT_MS, 60_000);
    await time.pass(60_000);
    await time.pass(60_000);
    // The link ends during a read of the signal.
    time.advance(60_000);
    await connection.end();
    await otherTurns();
    expect(calls).to.deep.equal([...['first false', 'signal -50', 'signal -50'], 'ended', 'disconnected']);
    expect(time.pending).to.equal(0);
  });

  it('reconnects after a loss when the device advertises', async () => {
    const connection = maintain();
    expect(connection.phase).to.deep.equal({ _tag: 'Connected', device: { link: first } });
    next = new FakeLink(die, ADDRESS);
    lose(first);
    expect(connection.phase._tag).to.equal('Lost');
    expect(calls.splice(0)).to.deep.equal(['first false', 'disconnected']);
    radio.advertise(die);
    await otherTurns();
    expect(connection.phase).to.deep.equal({ _tag: 'Connected', device: { link: next } });
    expect(calls).to.deep.equal(['next true']);
    expect([time.pending, connection.lostUntil]).to.deep.equal([0, null]);
    expect(logged()).to.deep.equal([
      { ...line('a device is lost'), cause: { _tag: 'LinkLost', address: ADDRESS, reason: 8 } },
      line('a device is back'),
    ]);
    lose(next);
    expect([connection.phase._tag, ...calls]).to.deep.equal(['Lost', 'next true', 'disconnected']);
    await connection.end();
  });

  it('ends if the device does not come back in time', async () => {
    const connection = maintain();
    lose(first);
    await time.pass(RECONNECT_MS - 1);
    expect(connection.phase._tag).to.equal('Lost');
    await time.pass(1);
    expect(connection.phase).to.deep.equal({ _tag: 'Ended' });
    expect(calls).to.deep.equal(['first false', 'disconnected', 'ended']);
    expect([time.pending, radio.listeners.size]).to.deep.equal([0, 0]);
    expect(logged().at(-1)).to.deep.equal(line('a lost device did not come back'));
  });

  it('tries again after an attempt that throws, which is logged', async () => {
    const connection = maintain();
    held = Promise.reject(new Error('out of order'));
    await loseAndHear();
    expect(connection.phase._tag).to.equal('Lost');
    expect(logged().at(-1))
      .to.include({ level: 50, address: ADDRESS, msg: 'an attempt to connect failed' })
      .and.have.nested.property('err.message', 'out of order');
    held = Promise.resolve();
    await time.pass(RECONNECT_MS / 2);
    expect(connection.phase._tag).to.equal('Connected');
    expect([time.pending, radio.listeners.size]).to.deep.equal([0, 0]);
  });

  it('waits for the device for ever without a limit', async () => {
    const connection = maintain(null);
    lose(first);
    for (let hour = 0; hour < 3; hour++) await time.pass(3_600_000);
    expect(connection.phase._tag).to.equal('Lost');
    next = new FakeLink(die, ADDRESS);
    radio.advertise(die);
    await otherTurns();
    expect(connection.phase._tag).to.equal('Connected');
  });

  it('has no limit while it is connected', () => {
    const connection = maintain();
    connection.limitLoss();
    expect([time.pending, connection.lostUntil]).to.deep.equal([0, null]);
  });

  it('takes another limit during a loss, from then on', async () => {
    const connection = maintain(null);
    lose(first);
    const limited = (ms: number | null): void => {
      limit = ms;
      connection.limitLoss();
    };
    await time.pass(RECONNECT_MS);
    limited(RECONNECT_MS);
    await time.pass(RECONNECT_MS - 1);
    expect(connection.lostUntil).to.deep.equal(new Date(time.date().getTime() + 1));
    limited(null);
    expect(connection.lostUntil).to.equal(null);
    await time.pass(RECONNECT_MS);
    expect(connection.phase._tag).to.equal('Lost');
    limited(5);
    await time.pass(5);
    expect(connection.phase._tag).to.equal('Ended');
    expect([time.pending, radio.listeners.size]).to.deep.equal([0, 0]);
  });

  it('ends a new link that is made after the limit', async () => {
    const connection = maintain();
    const { promise, fulfil: release } = signalled();
    held = promise;
    const late = await loseAndHear();
    time.advance(RECONNECT_MS);
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true]);
    release();
    await otherTurns();
    expect(late.ended).to.deep.equal({ _tag: 'Closed', address: ADDRESS });
    expect(connection.phase).to.deep.equal({ _tag: 'Ended' });
    expect(calls).to.deep.equal(['first false', 'disconnected', 'ended']);
  });

  it('ends its link once when it is ended, and does not read its signal afterwards', async () => {
    const connection = maintain(RECONNECT_MS, 60_000);
    await Promise.all([connection.end(), connection.end()]);
    expect(first.ended).to.deep.equal({ _tag: 'Closed', address: ADDRESS });
    expect(connection.phase).to.deep.equal({ _tag: 'Ended' });
    expect(calls).to.deep.equal(['first false', 'ended', 'disconnected']);
    expect([log, time.pending]).to.deep.equal([[], 0]);
  });

  it('is over even if its link cannot be ended', async () => {
    const connection = maintain();
    Object.assign(first, { disconnect: () => Promise.reject(new Error('a defect')) });
    expect(await connection.end().catch(String)).to.equal('Error: a defect');
    expect(calls).to.deep.equal(['first false', 'ended', 'disconnected']);
  });

  it('makes no link when it is ended during a loss, and waits for the attempt under way', async () => {
    const connection = maintain();
    const { promise, fulfil: release } = signalled();
    held = promise;
    const late = await loseAndHear();
    let over = false;
    const ending = connection.end().then(() => {
      over = true;
    });
    await otherTurns();
    expect([over, connection.phase._tag]).to.deep.equal([false, 'Ended']);
    release();
    await ending;
    expect(late.ended).to.deep.equal({ _tag: 'Closed', address: ADDRESS });
    expect(calls).to.deep.equal(['first false', 'disconnected', 'ended']);
    expect(time.pending).to.equal(0);
    expect(logged()).to.have.length(1);
  });

  it('reports every change of its phase until it is unwatched', async () => {
    const connection = maintain();
    const phases: string[] = [];
    const unwatch = connection.watch(() => phases.push(connection.phase._tag));
    await loseAndHear();
    await connection.end();
    expect(phases.splice(0)).to.deep.equal(['Lost', 'Connected', 'Ended']);
    unwatch();
    connection.lookAgain();
    expect(phases).to.deep.equal([]);
  });

  describe('The wait until a connection is settled', () => {
    const settled = (connection: Connection<Linked>) =>
      connection.whenSettled({ time, ms: 500, signal: new AbortController().signal })();

    it('ends at once if the connection is not lost', async () => {
      const connection = maintain();
      expect(await settled(connection)).to.deep.equal(E.right(true));
      await connection.end();
      expect(await settled(connection)).to.deep.equal(E.right(false));
      expect(time.pending).to.equal(0);
    });

    it('does not end with a link that ended before the device was attached', async () => {
      const connection = maintain();
      lose(first);
      const back = settled(connection);
      lose((next = new FakeLink(die, ADDRESS)));
      radio.advertise(die);
      await otherTurns();
      expect(calls.splice(0)).to.deep.equal(['first false', 'disconnected', 'next true', 'disconnected']);
      next = new FakeLink(die, ADDRESS);
      radio.advertise(die);
      expect(await back).to.deep.equal(E.right(true));
      expect(connection.phase._tag).to.equal('Connected');
      await connection.end();
    });
  });
});

describe('A device that is opened on a new link', () => {
  const opened = E.right('opened');
  for (const [title, outcome, abortedAt, ends] of [
    ['keeps the link if it opens', opened, 'after', false],
    ['ends the link if it does not open', E.left('refused'), 'after', true],
    ['ends the link if it is aborted before it opens', opened, 'before', true],
    ['ends the link if it is aborted while it opens', opened, 'meanwhile', true],
  ] as const)
    it(title, async () => {
      const link = new FakeLink(new FakeRadio().add(ADDRESS), ADDRESS);
      const abort = new AbortController();
      const abortIf = (moment: string): void => {
        if (moment === abortedAt) abort.abort();
      };
      abortIf('before');
      const result = await openedOn(link, abort.signal, () => {
        abortIf('meanwhile');
        return Promise.resolve(outcome);
      })();
      abortIf('after');
      expect([result, link.ended !== undefined]).to.deep.equal([outcome, ends]);
    });
});
