import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createConnection } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runInKept } from '../../simulators/lab/linux/keep/client.js';
import { keep, keptPath, type Keeper } from '../../simulators/lab/linux/keep/keeper.js';
import type { Session } from '../../simulators/lab/linux/session.js';
import { newFolder } from '../support/folders.js';
import { requireUnix } from '../support/require.js';
import { useVariables } from '../support/variables.js';

const AGENT = 'dist/simulators/lab/linux/keep/agent.js';

/** A command in the kept guest, with its input and outputs. */
interface Run {
  readonly session: Session;
  readonly stdin: PassThrough;
  readonly stdout: Promise<string>;
  readonly stderr: Promise<string>;
}

/** The agent runs on this machine, as it would in a guest. */
describe('A kept guest', () => {
  const setVariable = useVariables();
  let agent: ChildProcess;
  let output: Readable;
  let keeper: Keeper;
  const warned = new EventEmitter();

  const runIn = (name: string, ...command: readonly string[]): Run => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const streams = { stdin, stdout, stderr, terminal: undefined };
    const session = runInKept(name, { command, folder: '/', variables: { A: 'ä', PATH: '' } }, streams);
    void session.ended.then(() => [stdout, stderr].forEach((stream) => stream.end()));
    return { session, stdin, stdout: text(stdout), stderr: text(stderr) };
  };
  const run = (...command: readonly string[]): Run => runIn('a', ...command);

  beforeEach(async function () {
    requireUnix(this, 'guest');
    setVariable('AIRBENCH_CACHE', newFolder());
    const env = { ...process.env, CONTROL_URL: 'http://10.0.2.2:1' };
    agent = spawn(process.execPath, [AGENT], { stdio: ['pipe', 'pipe', 'inherit'], env });
    if (agent.stdin === null || agent.stdout === null) throw new Error('it has no streams');
    output = agent.stdout;
    keeper = await keep('a', agent.stdin, output, (message) => warned.emit('message', message));
    await keeper.ready;
  });

  afterEach(async () => {
    const exit = once(agent, 'exit');
    agent.stdin?.end();
    await exit;
    await keeper.close();
  });

  it('runs a command with its folder, variables, streams and exit status', async () => {
    const command = run('sh', '-c', 'cat; pwd; echo $A $CONTROL_URL; echo warned >&2; exit 7');
    command.stdin.end('a line\n');
    expect(await command.session.ended).to.deep.equal(E.right(7));
    expect(await command.stdout).to.equal('a line\n/\nä http://10.0.2.2:1\n');
    expect(await command.stderr).to.equal('warned\n');
  });

  it('runs several commands at once, and passes a signal on to one of them', async () => {
    const [sleep, cat] = [run('sh', '-c', 'echo sleeps; exec sleep 1000'), run('sh', '-c', 'exec cat')];
    cat.stdin.end('through');
    expect(await cat.session.ended).to.deep.equal(E.right(0));
    expect(await cat.stdout).to.equal('through');
    sleep.session.signal('SIGTERM');
    expect(await sleep.session.ended).to.deep.equal(E.right(143));
  });

  it('names a program that it does not find', async () => {
    const { session, stderr } = run('no-such-program');
    expect(await session.ended).to.deep.equal(E.right(127));
    expect(await stderr).to.contain('no-such-program');
  });

  it('refuses a second keeper', async () => {
    const second = await keep('a', new PassThrough(), new PassThrough(), () => undefined).catch(
      (error: unknown) => error,
    );
    expect(second).to.have.property('message', 'a guest is kept as a already');
  });

  const sendAsClient = (line: string) => createConnection(keptPath('a')).end(line);
  const sendAsGuest = (line: string) => output.unshift(line);
  for (const [sender, send, line] of [
    ['a client of the guest a', sendAsClient, 'no JSON'],
    ['a client of the guest a', sendAsClient, '5'],
    ['a client of the guest a', sendAsClient, 'null'],
    ['a client of the guest a', sendAsClient, '{"type":"run","command":["true"]}'],
    ['the guest a', sendAsGuest, 'no JSON'],
    ['the guest a', sendAsGuest, 'null'],
    ['the guest a', sendAsGuest, '{"id":1,"type":"stdout"}'],
  ] as const)
    it(`continues after the line ${line} of ${sender}`, async () => {
      const warning = once(warned, 'message');
      send(`${line}\n`);
      expect(await warning).to.deep.equal([`${sender} sends a line that is not a message: ${line}`]);
      expect(await run('true').session.ended).to.deep.equal(E.right(0));
    });

  it('continues after a command without a program', async () => {
    const { session, stderr } = run();
    expect(await session.ended).to.deep.equal(E.right(127));
    expect(await stderr).to.contain('cannot be empty');
    expect(await run('true').session.ended).to.deep.equal(E.right(0));
  });

  it('is named in a message if it does not exist', async () => {
    expect(await runIn('b', 'true').session.ended).to.deep.equal(
      E.left('no guest is kept as b: airbench linux --keep b'),
    );
  });
});
