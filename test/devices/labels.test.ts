import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isLater, Labels, LABELS_IN_ORDER, LABELS_TABLE, MOST_LABELS } from '../../src/devices/labels.js';
import { NO_STORE, openStore } from '../../src/store/store.js';
import { newFolder } from '../support/folders.js';
import { silent } from '../support/log.js';
import { manualTime } from '../support/manual-time.js';

const DIE = 'D1:CE:00:00:00:01';
const OTHER = 'D1:CE:00:00:00:02';

const at = (ms: number, name: string, label: string | null) => ({ label, time: new Date(ms), name });

const MIGRATIONS = [LABELS_TABLE, LABELS_IN_ORDER];

const newLabels = (store = NO_STORE, now = 0, built: Date | null = null) =>
  new Labels({ store, time: manualTime(now), clockFacts: { built }, server: 'one' });

describe('Labels of devices', () => {
  it('are later by time, then by server, then by label', () => {
    const inOrder = [
      at(1, 'two', 'Red'),
      at(2, 'one', 'Red'),
      at(2, 'two', null),
      at(2, 'two', 'Blue'),
      at(2, 'two', 'Red'),
    ];
    for (const [later, label] of inOrder.entries())
      for (const [earlier, than] of inOrder.entries())
        expect(isLater(label, than), `${later} and ${earlier}`).to.equal(later > earlier);
  });

  it('stay set, and stay removed, after a restart, although earlier ones arrive', async () => {
    const file = { path: join(newFolder(), 'dice.sqlite'), migrations: MIGRATIONS };
    const open = () => openStore({ ...file, time: manualTime(), log: silent });
    const before = open();
    const labels = newLabels(before);
    await labels.loaded;
    labels.set(DIE, 'Red one');
    labels.set(OTHER, 'Blue one');
    labels.set(OTHER, null);
    const [die, other] = [labels.lastOf(DIE), labels.lastOf(OTHER)];
    await before.close();
    for (const early of [at(-1, 'two', 'Early one'), at(-2, 'two', 'Earlier one')]) {
      const after = open();
      const again = newLabels(after);
      const changed: string[] = [];
      again.onChange((address) => changed.push(address));
      again.take(DIE, early);
      await again.loaded;
      expect(again.lastOf(DIE)).to.deep.equal(die);
      expect(again.lastOf(OTHER)).to.deep.equal(other).and.to.include({ label: null });
      expect(changed).to.deep.equal([DIE, DIE, OTHER]);
      await after.close();
    }
  });

  it(`are ${MOST_LABELS} at most: removed ones go first, then the earliest`, () => {
    const labels = newLabels();
    for (let index = 0; index < MOST_LABELS; index++) labels.set(`device ${index}`, 'x');
    labels.set('device 7', null);
    labels.set('device a', 'x');
    labels.set('device b', 'x');
    const left = new Set(labels.addresses);
    expect(left.size).to.equal(MOST_LABELS);
    expect(
      ['device 7', 'device 0', 'device 1', 'device a'].filter((address) => left.has(address)),
    ).to.deep.equal(['device 1', 'device a']);
  });

  it('of a full file make room for one that was set before it was read', async () => {
    const file = { path: join(newFolder(), 'dice.sqlite'), migrations: MIGRATIONS };
    const open = () => openStore({ ...file, time: manualTime(), log: silent });
    const before = open();
    const labels = newLabels(before);
    await labels.loaded;
    for (let index = 0; index < MOST_LABELS; index++) labels.set(`device ${index}`, 'x');
    await before.close();
    const after = open();
    const again = newLabels(after);
    again.set('device a', 'x');
    await again.loaded;
    expect(['device 0', 'device 1', 'device a'].map((address) => again.of(address))).to.deep.equal([
      null,
      'x',
      'x',
    ]);
    await after.close();
  });

  it('of a server whose clock is wrong replace those that it knows, and those of before its build', () => {
    const built = new Date(Date.UTC(2026, 5, 1));
    const labels = newLabels(NO_STORE, 0, built);
    labels.set(DIE, 'Red one');
    expect(labels.lastOf(DIE)?.time).to.deep.equal(built);
    labels.take(DIE, at(built.getTime() - 1, 'two', 'Before the build'));
    expect(labels.of(DIE)).to.equal('Red one');
    labels.take(DIE, at(built.getTime() + 1, 'two', 'After the build'));
    expect(labels.of(DIE)).to.equal('After the build');
    labels.set(DIE, 'Blue one');
    expect(labels.lastOf(DIE)).to.deep.equal(at(built.getTime() + 2, 'one', 'Blue one'));
  });

  it('of a full file go in the order in which they were set, whatever the dates were', async () => {
    const file = { path: join(newFolder(), 'dice.sqlite'), migrations: MIGRATIONS };
    const open = () => openStore({ ...file, time: manualTime(), log: silent });
    for (const [now, from, to] of [
      [1_000_000, 0, MOST_LABELS / 2],
      [0, MOST_LABELS / 2, MOST_LABELS],
      [2_000_000, MOST_LABELS, MOST_LABELS + 1],
    ] as const) {
      const store = open();
      const labels = newLabels(store, now);
      await labels.loaded;
      for (let index = from; index < to; index++) labels.set(`device ${index}`, 'x');
      await store.close();
    }
    const store = open();
    const labels = newLabels(store);
    await labels.loaded;
    const left = new Set(labels.addresses);
    expect(left.size).to.equal(MOST_LABELS);
    expect([0, 1, MOST_LABELS / 2].map((index) => left.has(`device ${index}`))).to.deep.equal([
      false,
      true,
      true,
    ]);
    await store.close();
  });

  it('of the year 9999 are not read', async () => {
    const file = { path: join(newFolder(), 'dice.sqlite'), migrations: MIGRATIONS };
    const store = openStore({ ...file, time: manualTime(), log: silent });
    for (const year of [9998, 9999])
      store.write(['INSERT INTO labels VALUES (?, ?, ?, ?)', `of ${year}`, 'x', Date.UTC(year, 0), 'two']);
    const labels = newLabels(store);
    await labels.loaded;
    expect([...labels.addresses]).to.deep.equal(['of 9998']);
    await store.close();
  });
});
