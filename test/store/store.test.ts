import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { NO_STORE } from '../../src/store/store.js';
import { right } from '../support/either.js';
import {
  FAILS,
  MIGRATIONS,
  MINUTE,
  reasonOf,
  RECOVERS,
  SECOND,
  SLOW,
  storeStage,
  WORDS,
} from './store-stage.js';

const BATCH = 250;
/** Its answer is larger than the memory of a thread. */
const TOO_LONG = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400)
  SELECT i, hex(randomblob(500000)) word FROM n`;

describe('A store', () => {
  const stage = storeStage();
  const { open, write, read, refusal, filled } = stage;

  it('reads earlier writes, in order', async () => {
    const store = open();
    write(store, 'one', 'two');
    const first = store.read([WORDS])();
    write(store, 'three');
    expect(right(await first)).to.deep.equal([{ word: 'one' }, { word: 'two' }]);
    expect(await read(store)).to.deep.equal(['one', 'two', 'three']);
    expect(store.state).to.deep.equal({ state: 'ok', problem: null, waiting_secs: 0 });
    expect(stage.said).to.deep.equal([]);
  });

  it('writes in batches, each a quarter of a second after its first row', async () => {
    const store = open();
    await read(store);
    write(store, 'one');
    stage.time.advance(BATCH - 1);
    write(store, 'two');
    expect(store.state.waiting_secs).to.equal((BATCH - 1) / SECOND);
    stage.time.advance(1);
    expect(stage.time.pending).to.equal(0);
    await read(store);
    expect([stage.time.pending, store.state.waiting_secs]).to.deep.equal([0, 0]);
    write(store, 'three');
    expect(stage.time.pending).to.equal(1);
    await store.close();
    expect(stage.time.pending).to.equal(0);
    expect(await read(open())).to.deep.equal(['one', 'two', 'three']);
  });

  it('writes thousands of rows', async () => {
    const store = open();
    const words = Array.from({ length: 2_500 }, (_, index) => `word ${index}`);
    write(store, ...words);
    expect(await read(store)).to.deep.equal(words);
  });

  it('changes at once how many rows a statement says', async () => {
    const store = open();
    write(store, 'one', 'two', 'three');
    expect(right(await store.change(['DELETE FROM words WHERE word <> ?', 'two'])())).to.equal(2);
    expect(await read(store)).to.deep.equal(['two']);
  });

  it('writes before the reads that wait, which take turns', async () => {
    const store = open();
    await read(store);
    const done: string[] = [];
    const noted = async (name: string, answer: Promise<unknown>): Promise<void> => {
      await answer;
      done.push(name);
    };
    await Promise.all([
      noted('a', store.read([SLOW])()),
      noted('b', store.read([WORDS])()),
      noted('c', store.read([WORDS])()),
      noted('change', store.change(['DELETE FROM words'])()),
    ]);
    expect(done).to.deep.equal(['a', 'change', 'b', 'c']);
  });

  it('drops a read whose client leaves before its turn', async () => {
    const store = open();
    const client = new AbortController();
    const first = store.read([SLOW])();
    const dropped = store.read(['INSERT INTO words (word) VALUES (?) RETURNING id', 'one'], client.signal)();
    client.abort();
    expect(reasonOf(await dropped)).to.equal('Aborted');
    await first;
    expect(await read(store)).to.deep.equal([]);
    expect(stage.said).to.deep.equal([]);
  });

  it('has a snapshot without the rows that are written later', async () => {
    const store = open();
    write(store, 'one');
    const reads = Array.from({ length: 3 }, () => store.read([WORDS])());
    const snapshot = store.snapshot([WORDS])();
    write(store, 'two');
    const later = store.read([WORDS])();
    expect(right(await snapshot)).to.deep.equal([{ word: 'one' }]);
    expect(right(await later)).to.deep.equal([{ word: 'one' }, { word: 'two' }]);
    await Promise.all(reads);
  });

  it('gives the space of deleted rows back to the disk', async () => {
    const store = open();
    write(store, ...Array.from({ length: 2_000 }, () => 'long '.repeat(1_000)));
    const pages = async (): Promise<number> => Number((await read(store, 'PRAGMA page_count'))[0]);
    const before = await pages();
    right(await store.change(['DELETE FROM words WHERE id > 10'])());
    while ((await pages()) > before / 10) expect(stage.said).to.deep.equal([]);
    await store.close();
    expect(statSync(stage.path).size).to.be.below((before * 4_096) / 10);
  });

  it('logs a wrong statement, and goes on', async () => {
    const store = open();
    expect(reasonOf(await store.change(['DELETE FROM letters'])())).to.equal(
      'test.sqlite cannot be used: no such table: letters',
    );
    write(store, 'one');
    expect(await read(store)).to.deep.equal(['one']);
    expect(stage.said.map(({ level, msg }) => [level, msg])).to.deep.equal([
      [50, 'a statement of the store failed'],
    ]);
  });

  it('loses only the wrong statement of a batch', async () => {
    const store = open();
    write(store, 'one');
    store.write(['INSERT INTO words (word) VALUES (?)', null]);
    store.write(['INSERT INTO letters VALUES (1)']);
    write(store, 'two');
    expect(await read(store)).to.deep.equal(['one', 'two']);
    expect(stage.said.map(({ reason }) => reason)).to.deep.equal([
      'NOT NULL constraint failed: words.word',
      'no such table: letters',
    ]);
    expect(store.state.state).to.equal('ok');
  });

  it('begins another thread if its own has ended, a minute after it began', async () => {
    const store = open();
    write(store, 'one');
    await read(store);
    expect(reasonOf(await store.read([TOO_LONG])())).to.contain('memory limit');
    write(store, 'two');
    expect(await refusal(store)).to.contain('memory limit');
    stage.time.advance(MINUTE);
    expect(await read(store)).to.deep.equal(['one', 'two']);
    expect(stage.said.map(({ msg }) => msg)).to.deep.equal([FAILS, RECOVERS]);
  });

  it('closes although its thread ends meanwhile', async () => {
    const store = open();
    await read(store);
    const reading = store.read([TOO_LONG])();
    await store.close();
    expect(reasonOf(await reading)).to.contain('memory limit');
  });

  it('takes and answers nothing from the beginning of its end', async () => {
    const store = open();
    write(store, 'one');
    const use = () => {
      write(store, 'late');
      return Promise.all([store.read([WORDS])(), store.change(['DELETE FROM words'])()]);
    };
    const closed = store.close();
    const during = await use();
    await closed;
    const answers = [...during, ...(await use())].map(reasonOf);
    expect(new Set(answers)).to.deep.equal(new Set(['test.sqlite cannot be used: it is closed']));
    expect(await read(open())).to.deep.equal(['one']);
    expect(stage.said).to.deep.equal([]);
  });

  it('keeps its file to its user', async () => {
    writeFileSync(stage.path, '');
    chmodSync(stage.path, 0o644);
    const store = open();
    write(store, 'one');
    await read(store);
    const modes = readdirSync(stage.folder).map((name) => [
      name,
      (statSync(join(stage.folder, name)).mode & 0o777).toString(8),
    ]);
    expect(modes).to.deep.equal([
      ['test.sqlite', '600'],
      ['test.sqlite-wal', '600'],
    ]);
  });

  describe('is opening', () => {
    it('until its file can be used', async () => {
      const store = open();
      expect(store.state).to.deep.equal({ state: 'opening', problem: null, waiting_secs: 0 });
      await read(store);
      expect(store.state.state).to.equal('ok');
    });
  });

  it('leads an older file to its own version', async () => {
    await filled('one');
    const store = open([...MIGRATIONS, 'ALTER TABLE words ADD COLUMN language TEXT']);
    expect(right(await store.read(['SELECT word, language FROM words'])())).to.deep.equal([
      { word: 'one', language: null },
    ]);
  });

  it('fails with a wrong migration', async () => {
    const store = open(['CREATE LETTERS']);
    expect(await refusal(store)).to.contain('syntax error');
    expect(store.state.state).to.equal('failed');
  });

  it('leaves a file of a newer version as it is', async () => {
    await open([...MIGRATIONS, 'CREATE TABLE letters (letter TEXT)']).close();
    const before = readFileSync(stage.path);
    const store = open();
    write(store, 'one');
    const reason = 'it is of version 2, this airbench knows 1: install a newer airbench';
    expect(await refusal(store)).to.equal(`test.sqlite cannot be used: ${reason}`);
    await store.close();
    expect(readFileSync(stage.path).equals(before)).to.equal(true);
    expect(stage.said.map((line) => line.reason)).to.deep.equal([reason]);
  });
});

describe('No store', () => {
  it('takes rows, and neither has nor deletes any', async () => {
    NO_STORE.write(['INSERT']);
    for (const refused of [NO_STORE.change(['DELETE']), NO_STORE.read(['SELECT'])])
      expect(reasonOf(await refused())).to.equal('the server keeps no history (--history off)');
    expect(NO_STORE.state).to.deep.equal({ state: 'off', problem: null, waiting_secs: 0 });
  });
});
