import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Lines } from '../../src/cli/output/lines.js';
import { newFolder } from '../support/folders.js';

/** A stream whose reader the test can stop. */
class Reader extends Writable {
  readonly read: string[] = [];
  private held: (() => void) | undefined;
  private reading = true;

  override _write(line: Buffer, _encoding: string, done: () => void): void {
    const take = (): void => {
      this.held = undefined;
      this.read.push(line.toString());
      done();
    };
    if (this.reading) take();
    else this.held = take;
  }

  stop(): void {
    this.reading = false;
  }

  /** Continues reading, and resolves when all lines are read. */
  async resume(): Promise<void> {
    this.reading = true;
    this.held?.();
    while (this.writableLength > 0) await new Promise(setImmediate);
  }
}

const lossReport = (lost: number): string => `${lost} lost\n`;
/** Lines of 64 characters. */
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${String(index).padStart(63)}\n`);

describe('Lines', () => {
  const opened = (reader = new Reader()) => ({ reader, lines: new Lines(reader, lossReport) });

  it('are written immediately and in order', () => {
    const { reader, lines } = opened();
    const all = numbered(100);
    for (const line of all) lines.write(line);
    expect(reader.read).to.deep.equal(all);
    expect(lines.isStuck()).to.equal(false);
  });

  it('wait for a reader that pauses', async () => {
    const { reader, lines } = opened();
    const all = numbered(1000);
    reader.stop();
    for (const line of all) lines.write(line);
    expect(reader.read).to.deep.equal([]);
    expect(lines.isStuck()).to.equal(true);
    await reader.resume();
    expect(reader.read).to.deep.equal(all);
  });

  it('are dropped and counted when too many wait, and their number is reported after the waiting ones', async () => {
    const { reader, lines } = opened();
    const all = numbered(40_000);
    reader.stop();
    for (const line of all) lines.write(line);
    await reader.resume();
    const notice = reader.read.pop();
    const kept = reader.read.length;
    expect(kept * 64).to.be.within(1024 * 1024, 1024 * 1024 + 3 * 64);
    expect(reader.read).to.deep.equal(all.slice(0, kept));
    expect(notice).to.equal(`${all.length - kept} lost\n`);
    lines.write('and on\n');
    expect(reader.read.at(-1)).to.equal('and on\n');
  });

  for (const [part, written] of [
    ['nothing', 'one\ntwo\n'],
    ['a part', 'e\ntwo\n'],
    ['all', 'two\n'],
  ] as const) {
    it(`are written once at the end of a process, when the system has taken ${part} of the line in the stream`, () => {
      const unwritten = written.length - 'two\n'.length;
      const writable = Object.assign(new Reader(), { _handle: { writeQueueSize: unwritten } });
      const { reader, lines } = opened(writable);
      reader.stop();
      lines.write('one\n');
      lines.write('two\n');
      const file = join(newFolder(), 'log');
      const descriptor = openSync(file, 'w');
      lines.flush(descriptor);
      closeSync(descriptor);
      expect(readFileSync(file, 'utf8')).to.equal(written);
    });
  }

  it('are dropped quietly when the reader has gone', async () => {
    const broken = new Writable({ write: (_line, _encoding, done) => done(new Error('EPIPE')) });
    const lines = new Lines(broken, lossReport);
    lines.write('one\n');
    await new Promise(setImmediate);
    lines.write('two\n');
    await new Promise(setImmediate);
    expect(lines.isStuck()).to.equal(false);
  });
});
