import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import * as E from 'fp-ts/lib/Either.js';
import { openStore, NO_STORE, type Store, type StoreError } from '../../src/store/store.js';
import { left, right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';
import { manualTime } from '../support/manual-time.js';

const SECOND = 1_000;
const MINUTE = 60_000;
const BATCH = 250;
const MIGRATIONS = ['CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL)'];
const WORDS = 'SELECT word FROM words ORDER BY id';
/** Its answer is larger than the memory of a thread. */
const TOO_LONG = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400)
  SELECT i, hex(randomblob(500000)) word FROM n`;
const FAILS = 'the store cannot be used: the server serves on without it';
const RECOVERS = 'the store can be used again';

/** Holds the thread for a while. */
const SLOW =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT max(i) FROM n';
const STALLED = 'it has not answered for 10 s';

const reasonOf = (refused: E.Either<StoreError, unknown>): string => {
  const error = left(refused);
  return 'reason' in error ? error.reason : error._tag;
};

interface Said {
  readonly level: number;
  readonly msg: string;
  readonly reason?: string;
  readonly aside?: string;
  readonly lost?: number;
}

describe('A store', () => {
  const keep = keeper();
  let folder: string;
  let path: string;
  let time: ReturnType<typeof manualTime>;
  let said: Said[];
  let onSaid: (line: Said) => void;

  beforeEach(() => {
    folder = newFolder();
    path = join(folder, 'test.sqlite');
    time = manualTime();
    said = [];
    onSaid = (line) => void said.push(line);
  });

  const open = (migrations = MIGRATIONS, at = path, stuck = (): unknown => undefined): Store => {
    const log = pino({}, { write: (line: string) => onSaid(JSON.parse(line) as Said) });
    return keep(openStore({ path: at, migrations, time, log, stuck }));
  };

  const write = (store: Store, ...words: readonly string[]): void => {
    for (const word of words) store.write(['INSERT INTO words (word) VALUES (?)', word]);
  };

  const read = async (store: Store, sql = WORDS): Promise<readonly unknown[]> =>
    right(await store.read([sql])()).map((row) => Object.values(row)[0]);

  const refusal = async (store: Store): Promise<string> => reasonOf(await store.read([WORDS])());

  /** Opens and closes a store with the words, so that its file is whole. */
  const filled = async (...words: readonly string[]): Promise<void> => {
    const store = open();
    write(store, ...words);
    await store.close();
  };

  it('reads earlier writes, in order', async () => {
    const store = open();
    write(store, 'one', 'two');
    const first = store.read([WORDS])();
    write(store, 'three');
    expect(right(await first)).to.deep.equal([{ word: 'one' }, { word: 'two' }]);
    expect(await read(store)).to.deep.equal(['one', 'two', 'three']);
    expect(store.state).to.deep.equal({ state: 'ok', problem: null, waiting_secs: 0 });
    expect(said).to.deep.equal([]);
  });

  it('writes in batches, each a quarter of a second after its first row', async () => {
    const store = open();
    await read(store);
    write(store, 'one');
    time.advance(BATCH - 1);
    write(store, 'two');
    expect(store.state.waiting_secs).to.equal((BATCH - 1) / SECOND);
    time.advance(1);
    expect(time.pending).to.equal(0);
    await read(store);
    expect([time.pending, store.state.waiting_secs]).to.deep.equal([0, 0]);
    write(store, 'three');
    expect(time.pending).to.equal(1);
    await store.close();
    expect(time.pending).to.equal(0);
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
    expect(said).to.deep.equal([]);
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
    while ((await pages()) > before / 10) expect(said).to.deep.equal([]);
    await store.close();
    expect(statSync(path).size).to.be.below((before * 4_096) / 10);
  });

  it('logs a wrong statement, and goes on', async () => {
    const store = open();
    expect(reasonOf(await store.change(['DELETE FROM letters'])())).to.equal(
      'test.sqlite cannot be used: no such table: letters',
    );
    write(store, 'one');
    expect(await read(store)).to.deep.equal(['one']);
    expect(said.map(({ level, msg }) => [level, msg])).to.deep.equal([
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
    expect(said.map(({ reason }) => reason)).to.deep.equal([
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
    time.advance(MINUTE);
    expect(await read(store)).to.deep.equal(['one', 'two']);
    expect(said.map(({ msg }) => msg)).to.deep.equal([FAILS, RECOVERS]);
  });

  it('closes although its thread ends meanwhile', async () => {
    const store = open();
    await read(store);
    const reading = store.read([TOO_LONG])();
    await store.close();
    expect(reasonOf(await reading)).to.contain('memory limit');
  });

  it('keeps its file to its user', async () => {
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    const store = open();
    write(store, 'one');
    await read(store);
    const modes = readdirSync(folder).map((name) => [
      name,
      (statSync(join(folder, name)).mode & 0o777).toString(8),
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

  describe('refuses a file that is', () => {
    const others: Readonly<Record<string, readonly [make: (at: string) => void, reason: string]>> = {
      'a link': [
        (at) => {
          writeFileSync(`${at}.target`, '', { mode: 0o644 });
          symlinkSync(`${at}.target`, at);
        },
        'it is a link: only its folder may be one',
      ],
      'a link to nothing': [
        (at) => symlinkSync(`${at}.target`, at),
        'it is a link: only its folder may be one',
      ],
      'a FIFO': [(at) => void execFileSync('mkfifo', [at]), 'it is not a regular file'],
      'a folder': [(at) => void mkdirSync(at), 'it is not a regular file'],
    };
    for (const [title, [make, reason]] of Object.entries(others))
      for (const suffix of ['', '-wal'])
        it(`${title}${suffix}, and uses a regular one a minute later`, async () => {
          make(path + suffix);
          const store = open();
          write(store, 'one');
          expect(await refusal(store)).to.equal(`test.sqlite cannot be used: ${reason}`);
          if (title === 'a link') expect(statSync(path + suffix).mode & 0o777).to.equal(0o644);
          expect(readdirSync(folder).filter((name) => name.includes('broken'))).to.deep.equal([]);
          rmSync(path + suffix, { recursive: true });
          time.advance(MINUTE);
          expect(await read(store)).to.deep.equal(['one']);
        });
  });

  describe('whose disk does not answer', () => {
    let store: Store;
    let stuck: number;

    beforeEach(async () => {
      stuck = 0;
      store = open(MIGRATIONS, path, () => (stuck += 1));
      await read(store);
    });

    it('refuses reads and changes after 10 s, and says so once', async () => {
      const [held, waiting, change] = [
        store.read([SLOW])(),
        store.read([WORDS])(),
        store.change(['DELETE FROM words'])(),
      ];
      time.advance(10 * SECOND);
      for (const answer of [held, waiting, change])
        expect(reasonOf(await answer)).to.equal(`test.sqlite cannot be used: ${STALLED}`);
      expect(store.state.problem).to.equal(`test.sqlite cannot be used: ${STALLED}`);
      expect(said.map(({ msg, reason }) => [msg, reason])).to.deep.equal([[FAILS, STALLED]]);
    });

    it('works again with the next answer, and has written each row once', async () => {
      const held = store.read([SLOW])();
      write(store, 'one');
      time.advance(10 * SECOND);
      expect(reasonOf(await held)).to.contain(STALLED);
      expect(store.state.state).to.equal('failed');
      expect(await read(store)).to.deep.equal(['one']);
      expect(store.state).to.deep.equal({ state: 'ok', problem: null, waiting_secs: 0 });
      expect(said.map(({ msg }) => msg)).to.deep.equal([FAILS, RECOVERS]);
    });

    it('is given up 5 s after its end, and says how many rows are lost', async () => {
      const held = store.read([SLOW])();
      write(store, 'one', 'two');
      const closed = store.close();
      time.advance(5 * SECOND);
      await closed;
      expect(stuck).to.equal(1);
      expect(said.map(({ msg, lost }) => [msg, lost])).to.deep.equal([
        ['the disk does not answer: the rows that wait are lost', 2],
      ]);
      await held;
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
    const before = readFileSync(path);
    const store = open();
    write(store, 'one');
    const reason = 'it is of version 2, this airbench knows 1: install a newer airbench';
    expect(await refusal(store)).to.equal(`test.sqlite cannot be used: ${reason}`);
    await store.close();
    expect(readFileSync(path).equals(before)).to.equal(true);
    expect(said.map((line) => line.reason)).to.deep.equal([reason]);
  });

  describe('with a broken file', () => {
    const broken = {
      text: () => writeFileSync(path, 'not a database '.repeat(1_000)),
      'half a page': () => truncateSync(path, 2_048),
      'a page of other bytes': () => {
        const bytes = readFileSync(path);
        writeFileSync(path, bytes.fill(0xa5, 8_192, 12_288));
      },
    };
    for (const [title, damage] of Object.entries(broken)) {
      it(`keeps a file with ${title} aside, and begins an empty one`, async () => {
        await filled('lost');
        damage();
        const bytes = readFileSync(path);
        const store = open();
        const recovery = new Promise((resolve) => store.onRecovery(resolve));
        expect(await read(store)).to.deep.equal([]);
        expect(await recovery).to.equal(true);
        write(store, 'kept');
        await store.close();
        expect(await read(open())).to.deep.equal(['kept']);
        const [aside = ''] = said.map((line) => line.aside);
        expect(said.map(({ level }) => level)).to.deep.equal([50]);
        expect(aside).to.match(/test\.sqlite\.broken-\d{17}$/);
        expect(readFileSync(aside).equals(bytes)).to.equal(true);
        expect(store.state.state).to.equal('ok');
      });
    }
  });

  it('names a broken file that it keeps aside although no empty one can take its place', async () => {
    writeFileSync(path, 'not a database '.repeat(1_000));
    const store = open(['CREATE LETTERS']);
    expect(await refusal(store)).to.contain('syntax error');
    expect(said.map(({ level, aside }) => [level, aside === undefined])).to.deep.equal([
      [50, false],
      [40, true],
    ]);
  });

  it('leaves a file to the store that has it', async () => {
    const first = open();
    write(first, 'one');
    await read(first);
    const second = open();
    expect(await refusal(second)).to.equal('test.sqlite cannot be used: another program uses it');
    write(second, 'two');
    await second.close();
    expect(second.state).to.deep.include({
      ...{ state: 'failed', problem: 'test.sqlite cannot be used: another program uses it' },
    });
    expect(said.map(({ level, reason }) => [level, reason])).to.deep.equal([[40, 'another program uses it']]);
    write(first, 'three');
    expect(await read(first)).to.deep.equal(['one', 'three']);
  });

  it('writes its waiting rows when another store releases the file', async () => {
    const first = open();
    write(first, 'one');
    await read(first);
    const second = open();
    write(second, 'two');
    await refusal(second);
    await first.close();
    time.advance(MINUTE);
    expect(await read(second)).to.deep.equal(['one', 'two']);
  });

  describe('without a folder', () => {
    const reason = 'a part of its path is not a folder';
    let file: string;
    let store: Store;
    let recoveries: boolean[];

    beforeEach(async () => {
      file = join(folder, 'file');
      writeFileSync(file, '');
      store = open(MIGRATIONS, join(file, 'test.sqlite'));
      recoveries = [];
      store.onRecovery((isEmpty) => recoveries.push(isEmpty));
      expect(await refusal(store)).to.contain(`cannot be used: ${reason}`);
    });

    it('says so once', async () => {
      write(store, 'one');
      await refusal(store);
      time.advance(MINUTE);
      await refusal(store);
      expect(said.map(({ level, msg }) => [level, msg])).to.deep.equal([[40, FAILS]]);
      expect(recoveries).to.deep.equal([]);
    });

    it('opens its file a minute after the failure, and writes its waiting rows', async () => {
      write(store, 'one');
      rmSync(file);
      time.advance(MINUTE - 1);
      expect(await refusal(store)).to.contain(reason);
      expect(store.state.problem).to.contain(reason);
      const recovery = new Promise((resolve) => store.onRecovery(resolve));
      time.advance(SECOND);
      await recovery;
      expect(store.state).to.deep.include({ state: 'ok', problem: null });
      expect(await read(store)).to.deep.equal(['one']);
      expect(said.map(({ msg }) => msg)).to.deep.equal([FAILS, RECOVERS]);
      expect(recoveries).to.deep.equal([false]);
    });
  });

  it('says that it needs libsql, and does not try again', async () => {
    const module = Module as unknown as { _resolveFilename: (...input: unknown[]) => string };
    const resolve = module._resolveFilename;
    const reason = 'it needs the package libsql, which is not installed: npm install libsql';
    let store: Store;
    module._resolveFilename = (...input) => {
      if (input[0] === 'libsql') throw new Error('missing');
      return resolve.apply(module, input);
    };
    try {
      store = open();
      expect(await refusal(store)).to.equal(`test.sqlite cannot be used: ${reason}`);
    } finally {
      module._resolveFilename = resolve;
    }
    time.advance(MINUTE);
    expect(await refusal(store)).to.contain(reason);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  describe('on a full disk', () => {
    const long = (word: string): string => word.repeat(20_000);
    let store: Store;

    /** SQLite's own limit of a file acts like a full disk. */
    const limitPages = async (pages: number): Promise<void> =>
      void right(await store.read([`PRAGMA max_page_count = ${pages}`])());

    beforeEach(async () => {
      store = open();
      write(store, 'before');
      await read(store);
      await limitPages(1);
      write(store, long('a'));
      await read(store);
    });

    it('logs the full disk once, and still reads its rows', async () => {
      write(store, long('b'));
      await time.pass(SECOND);
      expect(await read(store)).to.deep.equal(['before']);
      expect(store.state).to.deep.equal({
        ...{ state: 'failed', problem: 'test.sqlite cannot be used: the disk is full', waiting_secs: 1 },
      });
      expect(said.map(({ reason }) => reason)).to.deep.equal(['the disk is full']);
    });

    it('changes nothing, so that no waiting row comes later', async () => {
      expect(reasonOf(await store.change(['DELETE FROM words'])())).to.contain('the disk is full');
      await limitPages(1_000);
      expect(await read(store)).to.deep.equal(['before', long('a')]);
    });

    it('writes the waiting rows, in order, as soon as the disk has room', async () => {
      write(store, long('b'), long('c'));
      await limitPages(1_000);
      expect(await read(store)).to.deep.equal(['before', ...['a', 'b', 'c'].map(long)]);
      expect(store.state.state).to.equal('ok');
      expect(said.map(({ msg }) => msg)).to.deep.equal([FAILS, RECOVERS]);
    });

    it('tries again each second', async () => {
      await limitPages(1_000);
      const next = new Promise<Said>((resolve) => (onSaid = resolve));
      time.advance(SECOND);
      expect((await next).msg).to.equal(RECOVERS);
      expect(time.pending).to.equal(0);
    });
  });

  afterEach(() => expect(time.pending).to.equal(0));
});

describe('No store', () => {
  it('takes rows, and neither has nor deletes any', async () => {
    NO_STORE.write(['INSERT']);
    for (const refused of [NO_STORE.change(['DELETE']), NO_STORE.read(['SELECT'])])
      expect(reasonOf(await refused())).to.equal('the server keeps no history (--history off)');
    expect(NO_STORE.state).to.deep.equal({ state: 'off', problem: null, waiting_secs: 0 });
  });
});
