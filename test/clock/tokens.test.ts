import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { pino } from 'pino';
import type { DeviceError } from '../../src/devices/device-error.js';
import {
  openTokenStore,
  TOKENS_FILE,
  type Token,
  type TokenStore,
} from '../../src/clock/tokens/token-store.js';
import { deviceMessage } from '../../src/operations/index.js';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import { BEDROOM, HALL, KITCHEN } from '../support/clock-fixture.js';
import { newFolder } from '../support/folders.js';
import { requireUnix } from '../support/require.js';
import { manualTime } from '../support/manual-time.js';

const COUNTER = fileURLToPath(new URL('../support/file-counter.js', import.meta.url));

const right = async <A>(task: TaskEither<DeviceError, A>): Promise<A> => {
  const outcome = await task();
  if (E.isLeft(outcome)) throw new Error(deviceMessage(outcome.left));
  return outcome.right;
};

const left = async (task: TaskEither<DeviceError, unknown>): Promise<string> => {
  const outcome = await task();
  return E.isLeft(outcome) ? deviceMessage(outcome.left) : 'it works';
};

describe('the token store', () => {
  let folder: string;
  let path: string;
  let made: number;
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
    folder = join(newFolder(), 'made', 'if', 'need', 'be');
    path = join(folder, TOKENS_FILE);
    made = 0;
  });

  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const opening = (time: TimeSource = systemTime): TaskEither<DeviceError, TokenStore> =>
    openTokenStore({ folder, time, log, newToken: () => Buffer.alloc(16, ++made) });
  const open = (): Promise<TokenStore> => right(opening());
  const stored = (): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const entry = (byte: number, state: string): object => ({
    token: Buffer.alloc(16, byte).toString('hex'),
    state,
  });

  it('makes a token once, pending until it is proven', async () => {
    const store = await open();
    const token = await right(store.tokenFor(KITCHEN));
    expect(token).to.deep.equal({ bytes: Buffer.alloc(16, 1), proven: false });
    expect(stored()).to.deep.equal({ version: 1, clocks: { [KITCHEN]: entry(1, 'pending') } });
    expect(await right(store.tokenFor(KITCHEN))).to.deep.equal(token);
    await right(store.promote(KITCHEN, token.bytes));
    expect(stored()).to.deep.equal({ version: 1, clocks: { [KITCHEN]: entry(1, 'proven') } });
    expect(await right((await open()).tokenFor(KITCHEN))).to.deep.equal({ ...token, proven: true });
  });

  it('drops the refused pending token, and no other', async () => {
    const store = await open();
    const { bytes } = await right(store.tokenFor(KITCHEN));
    await right(store.drop(KITCHEN, Buffer.alloc(16, 9)));
    expect(stored()).to.have.nested.property(`clocks.${KITCHEN}`);
    await right(store.drop(KITCHEN, bytes));
    expect(stored()).to.deep.equal({ version: 1, clocks: {} });
    await right(store.promote(KITCHEN, bytes));
    await right(store.drop(KITCHEN, bytes));
    expect(stored()).to.have.nested.property(`clocks.${KITCHEN}.state`, 'proven');
  });

  it('is readable by its owner only', async function () {
    requireUnix(this, 'modes of files');
    await right((await open()).tokenFor(KITCHEN));
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
    expect(readdirSync(folder)).to.deep.equal([TOKENS_FILE]);
  });

  it('is shared by two servers', async () => {
    const [first, second] = [await open(), await open()];
    await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => right(first.tokenFor(`58:2D:34:00:01:${String(n + 10)}`))),
      ...Array.from({ length: 20 }, (_, n) => right(second.tokenFor(`58:2D:34:00:02:${String(n + 10)}`))),
    ]);
    expect(Object.keys((stored() as { clocks: object }).clocks)).to.have.length(40);
    const tokens = await Promise.all([first, second].map((store) => right(store.tokenFor(BEDROOM))));
    expect(tokens[0]).to.deep.equal(tokens[1]);
  });

  const broken: readonly (readonly [string, string])[] = [
    ['half of it', '{"version": 1, "clocks": {'],
    ['nothing', ''],
    ['another value', '[]'],
    ['no room for clocks', '{"version": 1, "clocks": []}'],
  ];
  for (const [defect, text] of broken) {
    it(`keeps a file with ${defect} aside and begins a new one`, async () => {
      await open();
      writeFileSync(path, text);
      const store = await open();
      await right(store.tokenFor(KITCHEN));
      const aside = readdirSync(folder).filter((name) => name.startsWith(`${TOKENS_FILE}.broken-`));
      expect(aside).to.have.length(1);
      expect(readFileSync(join(folder, aside[0] ?? ''), 'utf8')).to.equal(text);
      expect(stored()).to.have.nested.property(`clocks.${KITCHEN}`);
    });
  }

  describe('with records written by hand', () => {
    const write = (clocks: object, more: object = { version: 1 }): void => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, JSON.stringify({ ...more, clocks }));
    };
    const noFileAside = (): void => {
      expect(readdirSync(folder)).to.deep.equal([TOKENS_FILE]);
    };
    const token = (byte: number, proven: boolean): Token => ({ bytes: Buffer.alloc(16, byte), proven });
    const lower = KITCHEN.toLowerCase();

    it('reads addresses in upper or lower case, and does not change them', async () => {
      write({ [lower]: entry(9, 'pending') });
      const store = await open();
      expect(await right(store.tokenFor(KITCHEN))).to.deep.equal(token(9, false));
      await right(store.promote(KITCHEN, Buffer.alloc(16, 9)));
      await right(store.tokenFor(BEDROOM));
      expect(stored()).to.deep.equal({
        version: 1,
        clocks: { [lower]: entry(9, 'proven'), [BEDROOM]: entry(1, 'pending') },
      });
      noFileAside();
    });

    it('drops a refused token with its address in lower case', async () => {
      write({ [lower]: entry(9, 'pending') });
      await right((await open()).drop(KITCHEN, Buffer.alloc(16, 9)));
      expect(stored()).to.deep.equal({ version: 1, clocks: {} });
    });

    it('prefers the proven of two tokens of a clock, then the one in upper case, and loses neither', async () => {
      for (const [clocks, chosen] of [
        [{ [KITCHEN]: entry(8, 'pending'), [lower]: entry(9, 'proven') }, token(9, true)],
        [{ [lower]: entry(9, 'pending'), [KITCHEN]: entry(8, 'proven') }, token(8, true)],
        [{ [lower]: entry(9, 'proven'), [KITCHEN]: entry(8, 'proven') }, token(8, true)],
        [{ [lower]: entry(9, 'pending'), [KITCHEN]: entry(8, 'pending') }, token(8, false)],
      ] as const) {
        write(clocks);
        const store = await open();
        expect(await right(store.tokenFor(KITCHEN))).to.deep.equal(chosen);
        if (chosen.proven) await right(store.promote(KITCHEN, chosen.bytes));
        await right(store.tokenFor(BEDROOM));
        expect(stored()).to.have.property('clocks').that.deep.includes(clocks);
      }
      expect(warnings).to.have.length(4);
      expect(warnings[0]).to.contain(KITCHEN).and.to.contain('more than one record');
    });

    const spoilt: readonly (readonly [string, string, unknown])[] = [
      ['a bad token', BEDROOM, { token: 'secret', state: 'proven' }],
      ['no token', BEDROOM, { state: 'proven' }],
      ['an unknown state', BEDROOM, { token: 'ab'.repeat(16), state: 'secret' }],
      ['a bad address', 'bedroom', { token: 'ab'.repeat(16), state: 'proven', secret: true }],
      ['nothing in it', BEDROOM, null],
    ];
    for (const [defect, name, record] of spoilt) {
      it(`ignores a record with ${defect}, warns of it, and does not change it`, async () => {
        write({ [name]: record, [KITCHEN]: entry(9, 'proven') });
        const store = await open();
        expect(await right(store.tokenFor(KITCHEN))).to.deep.equal(token(9, true));
        await right(store.tokenFor(HALL));
        await right(store.tokenFor(HALL));
        expect(stored()).to.deep.equal({
          version: 1,
          clocks: { [name]: record, [KITCHEN]: entry(9, 'proven'), [HALL]: entry(1, 'pending') },
        });
        noFileAside();
        expect(warnings).to.have.length(1);
        expect(warnings[0])
          .to.contain(`"clock":"${name}"`)
          .and.to.not.match(/secret|abab/);
      });
    }

    it('does not show a token in a warning, even in place of an address', async () => {
      write({ ['ab'.repeat(16)]: KITCHEN });
      await open();
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.not.contain('abab');
    });

    it('keeps an unreadable record beside the new token of its clock', async () => {
      const old = { token: 'xyz', state: 'proven' };
      write({ [BEDROOM]: old });
      const store = await open();
      expect(await right(store.tokenFor(BEDROOM))).to.deep.equal(token(1, false));
      const { clocks } = stored() as { clocks: Readonly<Record<string, unknown>> };
      const names = Object.keys(clocks);
      expect(names).to.have.length(2);
      expect(names[0]).to.match(new RegExp(`^${BEDROOM} unreadable \\d{4}-`));
      expect(clocks[names[0] ?? '']).to.deep.equal(old);
      expect(clocks[BEDROOM]).to.deep.equal(entry(1, 'pending'));
      await right(store.promote(BEDROOM, Buffer.alloc(16, 1)));
      expect(stored())
        .to.have.property('clocks')
        .that.has.all.keys(...names);
      expect(await right((await open()).tokenFor(BEDROOM))).to.deep.equal(token(1, true));
    });

    it('keeps unknown fields in records and in the file', async () => {
      const more = { version: 1, comment: 'ours' };
      write({ [KITCHEN]: { ...entry(9, 'pending'), name: 'kitchen' } }, more);
      const store = await open();
      await right(store.promote(KITCHEN, Buffer.alloc(16, 9)));
      expect(stored()).to.deep.equal({
        ...more,
        clocks: { [KITCHEN]: { ...entry(9, 'proven'), name: 'kitchen' } },
      });
    });

    describe('of another version', () => {
      const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

      for (const [version, reason] of [
        [2, 'it is of version 2, this airbench knows 1: install a newer airbench'],
        ['one', 'its version must be 1, got "one"'],
      ] as const) {
        it(`is refused and not changed: ${JSON.stringify(version)}`, async () => {
          const store = await open();
          // The tokens may be anywhere in a later form of the file.
          write([entry(9, 'proven')], { version });
          const before = read(TOKENS_FILE);
          const message = `the token store ${path} cannot be used: ${reason}`;
          expect(await left(opening())).to.equal(message);
          expect(await left(store.tokenFor(KITCHEN))).to.equal(message);
          expect(await left(store.promote(BEDROOM, Buffer.alloc(16)))).to.equal(message);
          expect(read(TOKENS_FILE)).to.equal(before);
          noFileAside();
        });
      }
    });
  });

  it('keeps a file aside that was broken after it was opened', async () => {
    const store = await open();
    writeFileSync(path, 'broken');
    await right(store.tokenFor(KITCHEN));
    expect(readdirSync(folder)).to.have.length(2);
  });

  it('reports why it cannot be used', async () => {
    folder = join(newFolder(), 'file');
    writeFileSync(folder, '');
    expect(await left(opening())).to.equal(
      `the token store ${join(folder, TOKENS_FILE)} cannot be used: a part of its path is not a folder`,
    );
  });

  describe('with a lock', () => {
    const lock = (holder: string): void => writeFileSync(`${path}.lock`, holder);
    beforeEach(() => open());

    const ended = async (): Promise<number> => {
      const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
      await once(child, 'close');
      return child.pid ?? 0;
    };

    it('breaks the lock of a process that has ended', async () => {
      lock(`${await ended()} ${hostname()} x`);
      await right((await open()).tokenFor(KITCHEN));
      expect(readdirSync(folder)).to.deep.equal([TOKENS_FILE]);
    });

    it('breaks an old lock of another machine', async () => {
      lock(`1 elsewhere x`);
      const old = Date.now() / 1000 - 60;
      // A lock that a process was breaking when it was killed.
      writeFileSync(`${path}.lock.x`, '1 elsewhere y');
      for (const file of [`${path}.lock`, `${path}.lock.x`]) utimesSync(file, old, old);
      await right((await open()).tokenFor(KITCHEN));
      expect(readdirSync(folder)).to.deep.equal([TOKENS_FILE]);
    });

    it('waits while another process has the lock', async () => {
      lock(`${process.pid} ${hostname()} x`);
      const store = open();
      rmSync(`${path}.lock`);
      await right((await store).tokenFor(KITCHEN));
    });

    /** A time in which all waits are over at once, an hour behind the files. */
    const impatient = (): TimeSource => {
      const time = manualTime(Date.now() - 3_600_000);
      return {
        now: () => time.now(),
        date: () => time.date(),
        after: (ms, task) => {
          time.advance(ms);
          queueMicrotask(task);
          return () => undefined;
        },
      };
    };

    it('breaks a lock of another machine after a long wait, even if the time of day was set back', async () => {
      lock(`1 elsewhere x`);
      const store = await right(opening(impatient()));
      await right(store.tokenFor(KITCHEN));
      expect(readdirSync(folder)).to.deep.equal([TOKENS_FILE]);
    });

    it('gives up with advice if the lock is not released', async () => {
      lock(`${process.ppid} ${hostname()} x`);
      expect(await left(opening(impatient()))).to.contain(`it is locked by process ${process.ppid}`);
    });
  });
});

describe('the file of the tokens', () => {
  /** The number in a file, which must be whole. */
  const numberIn = (path: string): number => {
    const numbers = new Set(JSON.parse(readFileSync(path, 'utf8')) as readonly number[]);
    expect(numbers.size).to.equal(1);
    return [...numbers][0] ?? 0;
  };

  const count = async (rounds: number, killMs: number, ...paths: readonly string[]): Promise<unknown> => {
    const args = [COUNTER, String(rounds), String(killMs), ...paths];
    const [status, signal] = (await once(
      spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }),
      'close',
    )) as [number | null, string | null];
    return status ?? signal;
  };

  it('is always whole, in its old or new version, after 200 kills at any moment', async function () {
    requireUnix(this, 'signal of which a parent could learn');
    // Each of 14 kills hits 16 files.
    const lane = async (): Promise<void> => {
      const paths = Array.from({ length: 16 }, () => join(newFolder(), TOKENS_FILE));
      await count(1, 0, ...paths);
      let before = paths.map(numberIn);
      for (let round = 0; round < 7; round++) {
        expect(await count(100_000, 3 + 4 * round, ...paths)).to.equal('SIGKILL');
        const after = paths.map(numberIn);
        for (const [n, number] of after.entries()) expect(number).to.be.at.least(before[n] ?? 0);
        before = after;
      }
      expect(await count(1, 0, ...paths)).to.equal(0);
      for (const path of paths) {
        const litter = readdirSync(dirname(path)).filter((name) => !name.startsWith(`${TOKENS_FILE}.lock.`));
        expect(litter).to.deep.equal([TOKENS_FILE]);
      }
    };
    await Promise.all([lane(), lane()]);
  });

  it('loses nothing when programs write concurrently', async () => {
    const path = join(newFolder(), TOKENS_FILE);
    expect(await Promise.all([1, 2, 3].map(() => count(20, 0, path)))).to.deep.equal([0, 0, 0]);
    expect(numberIn(path)).to.equal(60);
  });
});
