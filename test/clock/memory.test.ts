import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { ClockRecord, HistoryPoint } from '../../src/clock/contract.js';
import { TOKENS_FILE } from '../../src/clock/tokens/token-store.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import {
  BEDROOM,
  KITCHEN,
  startFixture,
  startKitchen,
  type ClockFixture,
  type FixtureOptions,
} from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';

const address = KITCHEN;

describe('The memory of a clock server', () => {
  const keep = keeper();
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;

  beforeEach(async () => {
    ({ fixture, client, device } = await startKitchen({ remembers: true }));
    keep(fixture);
    // The answer waits until the memory is read.
    await fixture.get('/api/clocks');
  });

  const clocks = async (): Promise<readonly ClockRecord[]> =>
    (await fixture.get('/api/clocks')).body as readonly ClockRecord[];
  /** The temperatures of the points of a minute, up to now. */
  const temperatures = async (of = address): Promise<unknown> => {
    fixture.time.advance(1);
    const { status, body } = await fixture.get(`/api/devices/${of}/history?step=60`);
    return status === 200
      ? (body as readonly HistoryPoint[]).map(({ temperature: { min, max } }) => [min, max])
      : status;
  };

  it('has the readings of a clock with and without a link, for which it listens', async () => {
    device.measure({ temperature: 18.5, humidity: 50 });
    expect(await temperatures()).to.deep.equal([[18.5, 18.5]]);
    expect(fixture.radio.listeners.size, 'listeners with a link').to.equal(0);
    await client.succeed({ type: 'disconnect', address });
    expect(fixture.radio.listeners.size, 'listeners without a link').to.equal(1);
    device.become({ reading: { temperature: 30, humidity: 50 } });
    fixture.radio.advertise(device);
    expect(await temperatures()).to.deep.equal([[18.5, 30]]);
  });

  it('has the first reading of a link, which comes before the clock has a session', async () => {
    const other = fixture.add(BEDROOM);
    other.onCommand = () => other.measure({ temperature: 18.5, humidity: 50 });
    await client.succeed({ type: 'connect', address: BEDROOM });
    expect(await temperatures(BEDROOM)).to.deep.equal([[18.5, 18.5]]);
  });

  it('has no readings of a clock that is only heard, until it has a label', async () => {
    const other = fixture.add(BEDROOM);
    fixture.radio.advertise(other);
    expect(await temperatures(BEDROOM)).to.deep.equal([]);
    await client.succeed({ type: 'set_label', address: BEDROOM, label: 'Bedroom' });
    expect(fixture.radio.listeners.size).to.equal(1);
    fixture.radio.advertise(other);
    expect(await temperatures(BEDROOM)).to.deep.equal([[21.5, 21.5]]);
  });

  it('stops listening for a clock that is forgotten without a link', async () => {
    device.measure({ temperature: 18.5, humidity: 50 });
    await client.succeed({ type: 'disconnect', address });
    await client.succeed({ type: 'forget', address });
    expect(fixture.radio.listeners.size).to.equal(0);
    expect([await clocks(), await temperatures()]).to.deep.equal([[], 404]);
  });

  it('lists a connected clock that is forgotten without its label and readings', async () => {
    await client.succeed({ type: 'set_label', address, label: 'Kitchen' });
    await client.succeed({ type: 'keep_connected', address, keep_connected: true });
    device.measure({ temperature: 18.5, humidity: 50 });
    await client.succeed({ type: 'forget', address });
    expect(await clocks()).to.have.length(1);
    expect((await clocks())[0]).to.include({ label: null, keep_connected: false, connected: true });
    expect(await temperatures()).to.deep.equal([]);
  });

  it('has the time of the last reading of a link', async () => {
    fixture.time.advance(20_000);
    device.measure({ temperature: 18.5, humidity: 50 });
    const now = fixture.time.date().toISOString();
    expect((await clocks())[0]).to.include({ last_seen: now });
    fixture.time.advance(20_000);
    await client.succeed({ type: 'set_label', address, label: 'Kitchen' });
    expect((await clocks())[0]).to.include({ last_seen: now });
  });
});

describe('The memory of a clock server that cannot be changed', () => {
  const keep = keeper();
  for (const [title, remembers] of [
    ['without a store', false],
    ['with a store that failed', true],
  ] as const)
    it(`refuses to forget ${title}, with no effect; labels and kept clocks go on in memory`, async () => {
      const folder = newFolder();
      mkdirSync(join(folder, 'clock.sqlite'));
      const { fixture, client } = await startKitchen({ folder, remembers });
      keep(fixture);
      const change = { label: 'Kitchen', keep_connected: true };
      await client.succeed({ type: 'set_label', address, label: change.label });
      await client.succeed({ type: 'keep_connected', address, keep_connected: true });
      for (const of of [address, BEDROOM])
        expect(await client.fail({ type: 'forget', address: of })).to.contain(
          remembers ? 'clock.sqlite cannot be used' : 'the server keeps no history',
        );
      expect((await fixture.get('/api/clocks')).body)
        .to.have.nested.property('[0]')
        .that.includes(change);
    });
});

describe('The file of tokens, byte for byte the same', () => {
  const keep = keeper();
  let folder: string;
  let tokens: Buffer;

  beforeEach(async () => {
    folder = newFolder();
    const { fixture } = await startKitchen({ folder });
    await fixture.close();
    tokens = readFileSync(join(folder, TOKENS_FILE));
  });

  const start = async (options: FixtureOptions): Promise<ClockFixture> =>
    keep(await startFixture({ folder, ...options }));
  /** Connects the clock, which is bound to the token. */
  const expectTokens = async (fixture: ClockFixture, store: 'ok' | 'off' = 'ok'): Promise<void> => {
    await fixture.get('/api/clocks');
    expect((await fixture.get('/health')).body).to.have.nested.property('store.state', store);
    expect(readFileSync(join(folder, TOKENS_FILE))).to.deep.equal(tokens);
    const device = fixture.add(KITCHEN);
    device.become({ token: Buffer.alloc(16, 1) });
    device.behave({ wrong_token: 'reject' });
    const client = await fixture.client();
    expect(await client.succeed({ type: 'connect', address })).to.include({ paired: false });
    await fixture.close();
    expect(readFileSync(join(folder, TOKENS_FILE))).to.deep.equal(tokens);
  };

  it('outlasts forget', async () => {
    const fixture = await start({ remembers: true });
    const client = await fixture.client();
    await fixture.get('/api/clocks');
    fixture.add(KITCHEN);
    await client.succeed({ type: 'set_label', address, label: 'Kitchen' });
    await client.succeed({ type: 'forget', address });
    await fixture.close();
    await expectTokens(await start({ remembers: true }));
  });

  it('outlasts a broken store, which is kept aside', async () => {
    writeFileSync(
      join(folder, 'clock.sqlite'),
      'Not a file of SQLite at all, and longer than its header of 100 bytes. '.repeat(9),
    );
    const fixture = await start({ remembers: true });
    await fixture.get('/api/clocks');
    expect(readdirSync(folder).filter((name) => name.startsWith('clock.sqlite.broken-'))).to.have.length(1);
    await expectTokens(fixture);
  });

  it('outlasts the migration of a store of an older version, an empty file', async () => {
    writeFileSync(join(folder, 'clock.sqlite'), '');
    await expectTokens(await start({ remembers: true }));
  });

  it('outlasts --history off', async () => {
    await expectTokens(await start({ remembers: false }), 'off');
  });
});
