import { execFileSync } from 'node:child_process';
import {
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
import { beforeEach, describe, it } from 'mocha';
import type { Store } from '../../src/store/store.js';
import { right } from '../support/either.js';
import {
  FAILS,
  MIGRATIONS,
  MINUTE,
  reasonOf,
  RECOVERS,
  type Said,
  SECOND,
  SLOW,
  storeStage,
  WORDS,
} from './store-stage.js';

const STALLED = 'it has not answered for 10 s';

describe('A store that cannot be used', () => {
  const stage = storeStage();
  const { open, write, read, refusal, filled } = stage;

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
      'a folder': [mkdirSync, 'it is not a regular file'],
    };
    for (const [title, [make, reason]] of Object.entries(others))
      for (const suffix of ['', '-wal'])
        it(`${title}${suffix}, and uses a regular one a minute later`, async () => {
          make(stage.path + suffix);
          const store = open();
          write(store, 'one');
          expect(await refusal(store)).to.equal(`test.sqlite cannot be used: ${reason}`);
          if (title === 'a link') expect(statSync(stage.path + suffix).mode & 0o777).to.equal(0o644);
          expect(readdirSync(stage.folder).filter((name) => name.includes('broken'))).to.deep.equal([]);
          rmSync(stage.path + suffix, { recursive: true });
          stage.time.advance(MINUTE);
          expect(await read(store)).to.deep.equal(['one']);
        });
  });

  describe('whose disk does not answer', () => {
    let store: Store;
    let stuck: number;

    beforeEach(async () => {
      stuck = 0;
      store = open(MIGRATIONS, stage.path, () => {
        stuck += 1;
      });
      await read(store);
    });

    it('refuses reads and changes after 10 s, and says so once', async () => {
      const [held, waiting, change] = [
        store.read([SLOW])(),
        store.read([WORDS])(),
        store.change(['DELETE FROM words'])(),
      ];
      await stage.time.pass(0);
      stage.time.advance(10 * SECOND);
      for (const answer of [held, waiting, change])
        expect(reasonOf(await answer)).to.equal(`test.sqlite cannot be used: ${STALLED}`);
      expect(store.state.problem).to.equal(`test.sqlite cannot be used: ${STALLED}`);
      expect(stage.said.map(({ msg, reason }) => [msg, reason])).to.deep.equal([[FAILS, STALLED]]);
    });

    it('works again with the next answer, and has written each row once', async () => {
      const held = store.read([SLOW])();
      write(store, 'one');
      await stage.time.pass(0);
      stage.time.advance(10 * SECOND);
      expect(reasonOf(await held)).to.contain(STALLED);
      expect(store.state.state).to.equal('failed');
      expect(await read(store)).to.deep.equal(['one']);
      expect(store.state).to.deep.equal({ state: 'ok', problem: null, waiting_secs: 0 });
      expect(stage.said.map(({ msg }) => msg)).to.deep.equal([FAILS, RECOVERS]);
    });

    it('is given up 5 s after its end, and says how many rows are lost', async () => {
      const held = store.read([SLOW])();
      write(store, 'one', 'two');
      const closed = store.close();
      stage.time.advance(5 * SECOND);
      await closed;
      expect(stuck).to.equal(1);
      expect(stage.said.map(({ msg, lost }) => [msg, lost])).to.deep.equal([
        ['the rows that wait for the disk are lost', 2],
        ['the disk does not answer: the file stays open', undefined],
      ]);
      await held;
    });
  });

  describe('with a broken file', () => {
    const broken = {
      text: () => writeFileSync(stage.path, 'not a database '.repeat(1_000)),
      'half a page': () => truncateSync(stage.path, 2_048),
      'a page of other bytes': () => {
        const bytes = readFileSync(stage.path);
        writeFileSync(stage.path, bytes.fill(0xa5, 8_192, 12_288));
      },
    };
    for (const [title, damage] of Object.entries(broken)) {
      it(`keeps a file with ${title} aside, and begins an empty one`, async () => {
        await filled('lost');
        damage();
        const bytes = readFileSync(stage.path);
        const store = open();
        const recovery = new Promise((resolve) => store.onRecovery(resolve));
        expect(await read(store)).to.deep.equal([]);
        expect(await recovery).to.equal(true);
        write(store, 'kept');
        await store.close();
        expect(await read(open())).to.deep.equal(['kept']);
        const [aside = ''] = stage.said.map((line) => line.aside);
        expect(stage.said.map(({ level }) => level)).to.deep.equal([50]);
        expect(aside).to.match(/test\.sqlite\.broken-\d{17}$/);
        expect(readFileSync(aside).equals(bytes)).to.equal(true);
        expect(store.state.state).to.equal('ok');
      });
    }
  });

  it('names a broken file that it keeps aside although no empty one can take its place', async () => {
    writeFileSync(stage.path, 'not a database '.repeat(1_000));
    const store = open(['CREATE LETTERS']);
    expect(await refusal(store)).to.contain('syntax error');
    expect(stage.said.map(({ level, aside }) => [level, aside === undefined])).to.deep.equal([
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
    expect(stage.said.map(({ level, reason }) => [level, reason])).to.deep.equal([
      [40, 'another program uses it'],
      [50, undefined],
    ]);
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
    stage.time.advance(MINUTE);
    expect(await read(second)).to.deep.equal(['one', 'two']);
  });

  describe('without a folder', () => {
    const reason = 'a part of its path is not a folder';
    let file: string;
    let store: Store;
    let recoveries: boolean[];

    beforeEach(async () => {
      file = join(stage.folder, 'file');
      writeFileSync(file, '');
      store = open(MIGRATIONS, join(file, 'test.sqlite'));
      recoveries = [];
      store.onRecovery((isEmpty) => recoveries.push(isEmpty));
      expect(await refusal(store)).to.contain(`cannot be used: ${reason}`);
    });

    it('says so once', async () => {
      write(store, 'one');
      await refusal(store);
      stage.time.advance(MINUTE);
      await refusal(store);
      expect(stage.said.map(({ level, msg }) => [level, msg])).to.deep.equal([[40, FAILS]]);
      expect(recoveries).to.deep.equal([]);
    });

    it('opens its file a minute after the failure, and writes its waiting rows', async () => {
      write(store, 'one');
      rmSync(file);
      stage.time.advance(MINUTE - 1);
      expect(await refusal(store)).to.contain(reason);
      expect(store.state.problem).to.contain(reason);
      const recovery = new Promise((resolve) => store.onRecovery(resolve));
      stage.time.advance(SECOND);
      await recovery;
      expect(store.state).to.deep.include({ state: 'ok', problem: null });
      expect(await read(store)).to.deep.equal(['one']);
      expect(stage.said.map(({ msg }) => msg)).to.deep.equal([FAILS, RECOVERS]);
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
    stage.time.advance(MINUTE);
    expect(await refusal(store)).to.contain(reason);
    expect(readdirSync(stage.folder)).to.deep.equal([]);
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
      await stage.time.pass(SECOND);
      expect(await read(store)).to.deep.equal(['before']);
      expect(store.state).to.deep.equal({
        ...{ state: 'failed', problem: 'test.sqlite cannot be used: the disk is full', waiting_secs: 1 },
      });
      expect(stage.said.map(({ reason }) => reason)).to.deep.equal(['the disk is full']);
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
      expect(stage.said.map(({ msg }) => msg)).to.deep.equal([FAILS, RECOVERS]);
    });

    it('says at its end how many rows are lost, and tries no more', async () => {
      write(store, 'b');
      const reading = read(store);
      await store.close();
      expect(await reading).to.deep.equal(['before']);
      expect(stage.said.at(-1)).to.include({ msg: 'the rows that wait for the disk are lost', lost: 2 });
    });

    it('tries again each second', async () => {
      await limitPages(1_000);
      const next = new Promise<Said>((resolve) => (stage.onSaid = resolve));
      stage.time.advance(SECOND);
      expect((await next).msg).to.equal(RECOVERS);
      expect(stage.time.pending).to.equal(0);
    });
  });
});
