import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { notifySystemd } from '../../src/cli/process/systemd.js';
import { manualTime } from '../support/manual-time.js';
import { closeNotifySockets, NotifySocket } from '../support/notify-socket.js';
import { endPrograms, Program, RIG_PORTS } from '../../simulators/testing/internal/program.js';

const EMPTY = ['--dice', '0', '--clocks', '0'];

/** Half a second: the server notifies systemd four times a second. */
const WATCHDOG = { WATCHDOG_USEC: '500000' };

describe('A server that systemd started', () => {
  let systemd: NotifySocket;
  beforeEach(async function () {
    systemd = await NotifySocket.open(this);
  });
  afterEach(async () => {
    await endPrograms();
    closeNotifySockets();
  });

  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Program =>
    Program.airbench(args, { env: { NOTIFY_SOCKET: systemd.path, ...env } });

  it('reports that it is ready, regularly that it works, and that it ends', async () => {
    const hci = await Program.air(EMPTY).url('virtual radio');
    const dice = start(['dice', '--address', '127.0.0.1', '--port', '0', '--hci', hci], WATCHDOG);
    const ready = (await systemd.next()) ?? '';
    expect(ready).to.match(/^READY=1\nSTATUS=dice server {2}http:\/\/127\.0\.0\.1:\d+ {2}ws:[^\n]*\n?$/);
    const answer = await fetch(`${/http:\S+/.exec(ready)?.[0] ?? ''}/health`);
    expect(await answer.json()).to.include({ status: 'ok' });
    for (let n = 0; n < 3; n++) expect((await systemd.next())?.trim()).to.equal('WATCHDOG=1');

    dice.process.kill('SIGSTOP');
    // Earlier messages may still arrive.
    while ((await systemd.next(1_000)) !== undefined);
    expect(await systemd.next(1_000)).to.equal(undefined);
    dice.process.kill('SIGCONT');
    expect((await systemd.next())?.trim()).to.equal('WATCHDOG=1');

    const ended = dice.signal('SIGTERM');
    let last = await systemd.next();
    while (last?.startsWith('WATCHDOG=1')) last = await systemd.next();
    expect(last?.trim()).to.equal('STOPPING=1');
    expect(await ended).to.include({ status: 0, stderr: '' });
    expect(await systemd.next(10)).to.equal(undefined);
  });

  it('does not report that it is ready if it cannot listen', async () => {
    const hci = await Program.air(EMPTY).url('virtual radio');
    const other = createTcpServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const dice = start(['dice', '--address', '127.0.0.1', '--port', String(port), '--hci', hci], WATCHDOG);
    expect(await dice.ended).to.include({ status: 1 });
    other.close();
    expect(await systemd.next(10)).to.equal(undefined);
  });

  it('reports for its servers too if it is a rig', async () => {
    const rig = start(['rig', ...RIG_PORTS, ...EMPTY, '--address', '127.0.0.1'], WATCHDOG);
    expect(await systemd.next()).to.match(
      /^READY=1\nSTATUS=page .*, dice server .*, clock server .*, control API /,
    );
    expect((await systemd.next())?.trim()).to.equal('WATCHDOG=1');
    expect(await rig.signal('SIGTERM')).to.include({ status: 0, stderr: '' });
  });

  describe('with a health check', () => {
    const time = manualTime();
    let server: Server;
    let hung: boolean;
    let requests: number;
    let health: string;
    beforeEach(async () => {
      [hung, requests] = [false, 0];
      server = createServer((request, response) => {
        requests += 1;
        if (!hung) response.end(request.url);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      health = `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`;
    });
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });

    const until = async (isMet: () => boolean): Promise<void> => {
      while (!isMet()) await setImmediate();
    };
    /** The first text on stderr during `work` or after it. */
    const stderrOf = async (work: () => void | Promise<void>): Promise<string> => {
      let text = '';
      const original = process.stderr.write.bind(process.stderr);
      process.stderr.write = (more: unknown) => (text += String(more)).length > 0;
      try {
        await work();
        await until(() => text !== '');
      } finally {
        process.stderr.write = original;
      }
      return text;
    };
    const env = (more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
      ...process.env,
      NOTIFY_SOCKET: systemd.path,
      ...more,
    });
    const notify = (more: NodeJS.ProcessEnv = { WATCHDOG_USEC: '8000000' }) =>
      notifySystemd({ status: 'up', health, time, env: env(more) });

    it('is not reported as working while it hangs, or does not listen', async () => {
      hung = true;
      const stop = notify();
      expect(await systemd.next()).to.match(/^READY=1\nSTATUS=up/);
      await until(() => time.pending === 1);
      time.advance(3_999);
      expect(requests).to.equal(0);
      const stderr = await stderrOf(async () => {
        time.advance(1);
        await until(() => requests === 1);
        time.advance(2_000);
      });
      expect(stderr).to.equal(`${health} does not answer within 2 s: systemd is not told that it works\n`);

      hung = false;
      time.advance(4_000);
      expect((await systemd.next())?.trim()).to.equal('WATCHDOG=1');
      await until(() => time.pending === 1);

      server.closeAllConnections();
      server.close();
      expect(await stderrOf(() => time.advance(4_000))).to.contain('does not answer');
      await stop();
      expect((await systemd.next())?.trim()).to.equal('STOPPING=1');
      expect(time.pending).to.equal(0);
    });

    it('does not report that it works if systemd does not watch it', async () => {
      for (const more of [{}, { WATCHDOG_USEC: '8000000', WATCHDOG_PID: '1' }, { WATCHDOG_USEC: '' }]) {
        const stop = notify(more);
        expect(await systemd.next()).to.match(/^READY=1/);
        await stop();
        expect((await systemd.next())?.trim()).to.equal('STOPPING=1');
        expect(time.pending).to.equal(0);
      }
    });

    it('reports nothing if systemd did not start it', async () => {
      await notify({ NOTIFY_SOCKET: undefined, WATCHDOG_USEC: '8000000' })();
      expect(await systemd.next(10)).to.equal(undefined);
      expect(time.pending).to.equal(0);
    });

    it('logs why it cannot report', async () => {
      const log = await stderrOf(async () => notify({ PATH: '' })());
      expect(log).to.contain('cannot notify systemd of STOPPING=1: there is no systemd-notify on the PATH\n');
      const refused = await stderrOf(async () => notify({ NOTIFY_SOCKET: '/nowhere/notify' })());
      expect(refused).to.contain('No such file or directory');
    });
  });
});
