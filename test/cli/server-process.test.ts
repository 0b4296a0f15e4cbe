import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { Closers } from '../../src/cli/process/closers.js';
import { startServer, type ServerProcess } from '../../src/cli/servers/server-process.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { manualTime } from '../support/manual-time.js';

/** A program that continues when its parent process disconnects. */
const STUBBORN = 'setInterval(() => undefined, 1e6); process.on("disconnect", () => undefined);';

describe('A server of the rig', () => {
  const time = manualTime();

  const start = (program: string, closers = new Closers()): Promise<E.Either<string, ServerProcess>> => {
    const main = join(newFolder(), 'main.cjs');
    writeFileSync(main, program);
    return startServer('dice', [], { main, closers, time });
  };

  it('is reported and killed after two minutes without being ready', async () => {
    const closers = new Closers();
    const starting = start(STUBBORN, closers);
    time.advance(120_000);
    expect(await starting).to.deep.equal(E.left('the dice server was not ready within 120 s'));
    await closers.close();
    expect(time.pending).to.equal(0);
  });

  it('is reported as not started if it ends before it is ready', async () => {
    expect(await start('process.exit(3)')).to.deep.equal(E.left('the dice server did not start'));
  });

  it('reports why it cannot start', async () => {
    const program = 'process.send({ failed: "no adapter" }, () => process.exit(1));';
    expect(await start(program)).to.deep.equal(E.left('no adapter'));
  });

  it('is killed if it does not end within 30 seconds', async () => {
    const closers = new Closers();
    const ready = "process.send({ ready: { port: 7, warnings: ['hot'] } });";
    const server = right(await start(`${STUBBORN} ${ready}`, closers));
    expect(server).to.deep.include({ name: 'dice server', port: 7, warnings: ['hot'] });
    const messages: unknown[] = [];
    const write = process.stderr.write.bind(process.stderr);
    process.stderr.write = (text: unknown) => messages.push(text) > 0;
    const closing = closers.close();
    time.advance(30_000);
    await closing.finally(() => (process.stderr.write = write));
    expect(await server.ended).to.equal('was killed by SIGKILL');
    expect(messages).to.deep.equal(['the dice server did not end within 30 s: it is killed\n']);
    expect(time.pending).to.equal(0);
  });
});
