import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { TypeOf } from 'io-ts';
import { beforeEach, describe, it } from 'mocha';
import { nullable, object, text } from '../../src/codecs/index.js';
import {
  DeviceRecords,
  DEVICES_IN_ORDER,
  DEVICES_TABLE,
  type DeviceRecord,
} from '../../src/devices/records.js';
import { NO_STORE, openStore, type Store } from '../../src/store/store.js';
import { NO_FACTS } from '../../src/store/system-clock.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';
import { silent } from '../support/log.js';
import { manualTime } from '../support/manual-time.js';

const MOST = 1_000;
const MINUTE = 60_000;
const BEGIN = Date.UTC(2026, 0, 2, 3, 4, 5);

const Details = object({ maker: nullable(text), colour: nullable(text) });
type Records = DeviceRecords<TypeOf<typeof Details>>;

const addressOf = (index: number): string =>
  `00:00:00:00:${Buffer.from([index >> 8, index]).toString('hex')}`;
const RED = addressOf(0);
const GREEN = addressOf(1);
const BLUE = addressOf(2);
const VIOLET = addressOf(3);

/** The calls of `onLoaded`; `second` resolves with the second. */
const loadsOf = async (records: Records) => {
  const calls: (readonly string[])[] = [];
  const second = new Promise<void>((resolve) =>
    records.onLoaded((kept) => {
      if (calls.push(kept) === 2) resolve();
    }),
  );
  await records.loaded;
  return { calls, second };
};

describe('The records of devices', () => {
  const keep = keeper();
  let path: string;
  let time: ReturnType<typeof manualTime>;
  let store: Store;
  let records: Records;

  const load = async (opened: Store): Promise<Records> => {
    const unknown = { maker: null, colour: null };
    const loaded: Records = new DeviceRecords({
      store: opened,
      time,
      log: silent,
      clockFacts: NO_FACTS,
      server: '',
      details: Details,
      unknown,
    });
    await loaded.loaded;
    return loaded;
  };

  const openFile = (): Store =>
    keep(openStore({ path, migrations: [DEVICES_TABLE, DEVICES_IN_ORDER], time, log: silent }));

  /** The records of the file after a restart. */
  const reloaded = async (): Promise<Records> => {
    await store.close();
    store = openFile();
    return load(store);
  };

  const storedTime = async (): Promise<unknown> =>
    right(await store.read(['SELECT last_seen FROM devices'])())[0]?.['last_seen'];

  const addresses = ({ all }: Records): readonly string[] => all.map(({ address }) => address);

  beforeEach(async () => {
    path = `${newFolder()}/devices.sqlite`;
    time = manualTime(BEGIN);
    store = openFile();
    records = await load(store);
  });

  it('are the same after a restart', async () => {
    records.seen(RED, { name: 'GoDice_1', details: { maker: 'GoDice' } });
    time.advance(MINUTE);
    records.labels.set(RED, '=1+1 "ß" 🎲');
    const red: DeviceRecord<unknown> = records.store(RED, {
      ...{ keepConnected: true, details: { colour: 'red' } },
    });
    const green = records.store(GREEN);
    expect(red).to.deep.equal({
      ...{ address: RED, label: '=1+1 "ß" 🎲', name: 'GoDice_1', keepConnected: true },
      ...{ firstSeen: BEGIN, lastSeen: BEGIN, details: { maker: 'GoDice', colour: 'red' } },
    });
    const after = await reloaded();
    expect(after.all).to.deep.equal([red, green]);
    const kept = new Promise((resolve) => after.onLoaded(resolve));
    expect(await kept).to.deep.equal([RED]);
    expect([...after.storedAddresses]).to.deep.equal([RED, GREEN]);
  });

  it('merge memory with a file that is read late', async () => {
    for (const [address, name] of [
      [RED, 'Red'],
      [GREEN, 'Green'],
      [VIOLET, 'Violet'],
    ] as const) {
      records.labels.set(address, name);
      records.store(address, { name, keepConnected: true, details: { maker: name, colour: name } });
    }
    await storedTime();
    const late = openFile();
    const others = await load(late);
    const loads = await loadsOf(others);
    time.advance(MINUTE);
    others.seen(RED, { name: 'New red', details: { colour: 'new red' } });
    others.labels.set(GREEN, 'New green');
    others.store(GREEN, { keepConnected: true });
    others.store(GREEN, { keepConnected: false });
    others.store(BLUE, { keepConnected: true });
    others.seen(VIOLET);
    others.change(VIOLET, { label: null, keepConnected: false });
    await store.close();
    await late.read(['SELECT 1'])();
    await loads.second;
    expect(loads.calls).to.deep.equal([[], [RED]]);
    const expected = [
      {
        ...{ address: RED, label: 'Red', name: 'New red', keepConnected: true },
        ...{ firstSeen: BEGIN, lastSeen: BEGIN + MINUTE, details: { maker: 'Red', colour: 'new red' } },
      },
      {
        ...{ address: GREEN, label: 'New green', name: 'Green', keepConnected: false },
        ...{ firstSeen: BEGIN, lastSeen: BEGIN + MINUTE, details: { maker: 'Green', colour: 'Green' } },
      },
      {
        ...{ address: VIOLET, label: null, name: 'Violet', keepConnected: false },
        ...{ firstSeen: BEGIN, lastSeen: BEGIN + MINUTE, details: { maker: 'Violet', colour: 'Violet' } },
      },
      {
        ...{ address: BLUE, label: null, name: null, keepConnected: true },
        ...{ firstSeen: BEGIN + MINUTE, lastSeen: BEGIN + MINUTE, details: { maker: null, colour: null } },
      },
    ];
    expect(others.all).to.have.deep.members(expected);
    store = late;
    expect((await reloaded()).all).to.have.deep.members(expected);
  });

  it('are written into the empty file that replaces a broken one', async () => {
    records.labels.set(RED, 'Red');
    const red = records.store(RED, { keepConnected: true });
    await storedTime();
    const recovery = new Promise((resolve) => store.onRecovery(resolve));
    for (const pragma of ['wal_checkpoint(TRUNCATE)', 'shrink_memory'])
      await store.read([`PRAGMA ${pragma}`])();
    writeFileSync(path, 'not a database '.repeat(1_000));
    await storedTime();
    expect(await recovery).to.equal(true);
    expect((await reloaded()).all).to.deep.equal([red]);
  });

  it('are in memory alone until they are stored', async () => {
    records.seen(RED);
    records.store(GREEN);
    expect(addresses(records)).to.deep.equal([GREEN, RED]);
    expect(addresses(await reloaded())).to.deep.equal([GREEN]);
  });

  it('are in memory alone after a change of a client that neither names, keeps nor describes a device', async () => {
    for (const change of [{ label: null }, { keepConnected: false }, {}]) {
      records.seen(RED);
      expect(records.change(RED, change)).to.include({ label: null, keepConnected: false });
      expect(records.isStored(RED)).to.equal(false);
    }
    const changes = [{ label: 'Red' }, { keepConnected: true }, { details: { colour: 'red' } }];
    for (const [index, change] of changes.entries()) {
      records.seen(addressOf(index));
      expect(records.change(addressOf(index), change)).to.deep.include({
        ...change,
        ...('details' in change && { details: { maker: null, colour: 'red' } }),
      });
    }
    records.change(RED, { label: null });
    const after = await reloaded();
    expect(addresses(after)).to.deep.equal([RED, GREEN, BLUE]);
    expect(after.of(RED)).to.include({ label: null });
  });

  it('are new after they were forgotten', async () => {
    records.labels.set(RED, 'Red');
    records.store(RED);
    records.seen(GREEN);
    for (const address of [RED, GREEN]) records.forget(address);
    expect(records.all).to.deep.equal([]);
    time.advance(MINUTE);
    records.seen(RED);
    expect(records.of(RED)).to.include({ label: null, firstSeen: BEGIN + MINUTE });
    expect(addresses(await reloaded())).to.deep.equal([]);
  });

  it('store once a minute when a device was seen', async () => {
    records.store(RED);
    time.advance(MINUTE - 1);
    records.seen(RED);
    expect(await storedTime()).to.equal(BEGIN);
    time.advance(1);
    records.seen(RED);
    time.advance(1);
    records.seen(RED);
    expect(await storedTime()).to.equal(BEGIN + MINUTE);
    expect(records.of(RED)?.lastSeen).to.equal(BEGIN + MINUTE + 1);
  });

  it(`store ${MOST} devices: one without a label that need not be kept goes first, the longest unseen`, async () => {
    records.labels.set(addressOf(0), 'Red');
    records.store(addressOf(0));
    records.store(addressOf(1), { keepConnected: true });
    for (let index = 2; index < MOST; index++) records.store(addressOf(index));
    records.seen(addressOf(2));
    expect(records.all).to.have.lengthOf(MOST);
    records.store(addressOf(MOST));
    records.store(addressOf(MOST + 1));
    const expected = [0, 1, ...Array.from({ length: MOST }, (_, index) => index + 2)]
      .filter((index) => index !== 3 && index !== 4)
      .map(addressOf);
    expect(addresses(records)).to.have.members(expected);
    expect(addresses(await reloaded())).to.have.members(expected);
  });

  it('go in the order in which they were seen, also if the clock was wrong at one start', async () => {
    records.store(RED);
    time = manualTime(0);
    records = await reloaded();
    records.store(GREEN);
    time = manualTime(BEGIN + MINUTE);
    records = await reloaded();
    for (let index = 3; index <= MOST; index++) records.store(addressOf(index));
    expect([RED, GREEN].map((address) => records.isStored(address))).to.deep.equal([true, true]);
    records.store(addressOf(MOST + 1));
    expect([RED, GREEN].map((address) => records.isStored(address))).to.deep.equal([false, true]);
  });

  it('of a file of the first version are there, in the order of their dates', async () => {
    path = `${newFolder()}/devices.sqlite`;
    const first = keep(openStore({ path, migrations: [DEVICES_TABLE], time, log: silent }));
    for (const [address, seen] of [
      [RED, 2],
      [GREEN, 1],
    ] as const)
      first.write([
        'INSERT INTO devices VALUES (?, NULL, 0, 0, ?, ?)',
        address,
        seen,
        '{"maker":null,"colour":null}',
      ]);
    first.write(['INSERT INTO labels VALUES (?, ?, 1, ?)', RED, 'Red', '']);
    await first.close();
    expect(
      (await reloaded()).all.map(({ address, label, lastSeen }) => [address, label, lastSeen]),
    ).to.deep.equal([
      [GREEN, null, 1],
      [RED, 'Red', 2],
    ]);
  });

  it('lose the oldest label if all have one', () => {
    for (let index = 0; index <= MOST; index++) {
      records.labels.set(addressOf(index), `Die ${index}`);
      records.store(addressOf(index));
    }
    expect(records.all).to.have.lengthOf(MOST);
    expect(records.isStored(addressOf(0))).to.equal(false);
    expect(records.isStored(addressOf(MOST))).to.equal(true);
  });

  it(`hear ${MOST} other devices: the longest unseen goes first`, () => {
    for (let index = 0; index < MOST; index++) records.seen(addressOf(index));
    records.seen(addressOf(0));
    records.seen(addressOf(MOST));
    expect(records.all).to.have.lengthOf(MOST);
    expect(records.of(addressOf(1))).to.equal(undefined);
    expect(records.of(addressOf(0))).not.to.equal(undefined);
  });

  it('leave out a device that cannot be read', async () => {
    records.store(GREEN);
    store.write(['INSERT INTO devices VALUES (?, NULL, 0, 0, 0, ?)', RED, '{"maker":7}']);
    expect(addresses(await reloaded())).to.deep.equal([GREEN]);
  });

  it('are there without a store', async () => {
    const memory = await load(NO_STORE);
    memory.seen(RED);
    memory.labels.set(RED, 'Red');
    memory.store(RED);
    expect(memory.all.map(({ label }) => label)).to.deep.equal(['Red']);
  });
});
