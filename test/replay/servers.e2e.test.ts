/** A device recorded by the rig, replayed to a server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { replayCommand } from '../../simulators/cli/replay.js';
import { misuseOf } from '../support/flags.js';
import { Api, Control } from '../../simulators/testing/index.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import { Listener, type JsonObject } from '../../simulators/testing/internal/listener.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { requireUnix } from '../support/require.js';

const DIE = 'D1:CE:00:00:00:01';
const CLOCK = '58:2D:34:00:00:01';

/** Resolves with the message that says where a die lies. */
const stable = (listener: Listener): Promise<unknown> => listener.next(({ kind }) => kind === 'Stable');

/** Finds a die, connects it, sets its LEDs and reads its battery level. */
const dieSession = async (url: string) => {
  const dice = new Api(url);
  const scan = (await dice.post('/api/scan?duration_secs=0.3')) as readonly { readonly address: string }[];
  const { session_id } = (await dice.post('/api/connect', { address: DIE })) as { session_id: string };
  const led = (await dice.post('/api/led', { session_id, led1: 'FF8000' })) as JsonObject;
  const battery = (await dice.get(`/api/battery/${session_id}`)) as JsonObject;
  const status = (await dice.get(`/api/status/${session_id}`)) as JsonObject;
  return { scan, led: led['led1'], battery: battery['battery_level'], color: status['color'] };
};

/** Sends commands to a clock on one socket; resolves with their responses. */
const clockAnswers = async (url: string, types: readonly string[]): Promise<readonly unknown[]> => {
  const client = await ClockClient.open(`${url}/ws`);
  const answers: unknown[] = [];
  for (const type of types) answers.push(await client.send({ type, address: CLOCK }));
  client.close();
  return answers;
};

describe('airbench replay', () => {
  let folder: string;
  beforeEach(function () {
    folder = mkdtempSync(join(tmpdir(), 'airbench-replay-'));
    requireUnix(this, 'signals to end a program by');
  });
  afterEach(async () => {
    await endPrograms();
    rmSync(folder, { recursive: true });
  });

  const rig = (): Program =>
    Program.rig([
      ...['--pace', 'fast', '--dice', '2', '--clocks', '1'],
      ...['--trace', join(folder, 'rig.btsnoop'), '--data-dir', folder],
    ]);
  const replay = (...args: readonly string[]): Program =>
    Program.airbench(['replay', join(folder, 'rig.btsnoop'), '--hci-port', '0', '--pace', 'fast', ...args]);

  it('replays a die to the dice server, with the recorded answers and roll', async () => {
    const recording = rig();
    const url = await recording.url('dice server');
    const recorded = await Listener.open(`${url}/ws`);
    const before = await dieSession(url);
    const roll = { type: 'roll', die: 'd6', face: 5 };
    await new Control(await recording.url('control API')).act(DIE, roll);
    const rest = await stable(recorded);
    expect((await recording.signal('SIGTERM')).status).to.equal(0);

    const replayed = replay();
    const dice = Program.server('dice', await replayed.url('virtual radio'));
    const server = await dice.url('dice server');
    const replayedDie = await Listener.open(`${server}/ws`);
    const after = await dieSession(server);
    const { scan } = before;
    expect(scan.map(({ address }) => address)).to.deep.equal([DIE, 'D1:CE:00:00:00:02']);
    expect(after).to.deep.equal({ ...before, scan: scan.slice(0, 1) });
    expect(await stable(replayedDie)).to.deep.equal(rest);
    expect(await dice.signal('SIGTERM')).to.include({ status: 0, stderr: '' });
    expect(await replayed.signal('SIGINT')).to.include({ status: 0, stderr: '' });
  });

  it('replays a clock to the clock server, bound by the stored token', async () => {
    const recording = rig();
    const questions = ['connect', 'read_settings', 'read_firmware', 'read_alarms', 'disconnect'];
    const url = await recording.url('clock server');
    const paired = await clockAnswers(url, questions);
    const before = await clockAnswers(url, questions);
    expect((await recording.signal('SIGTERM')).status).to.equal(0);
    expect(JSON.stringify([paired[0], before[0]]))
      .to.contain('"paired":true')
      .and.to.contain('"paired":false');

    const replayed = replay('--device', CLOCK);
    const radio = await replayed.url('virtual radio');
    const clock = Program.server('clock', radio, ['--data-dir', folder]);
    expect(await clockAnswers(await clock.url('clock server'), questions)).to.deep.equal(before);
    expect(await clock.signal('SIGTERM')).to.include({ status: 0, stderr: '' });
    expect(await replayed.signal('SIGTERM')).to.include({ status: 0, stderr: '' });
  });

  it('reports a wrong file in one message, and ends with status 2', async () => {
    const file = join(folder, 'rig.btsnoop');
    for (const [content, reason] of [
      [undefined, 'no such file'],
      ['no capture', 'it is not a capture: a capture is a btsnoop'],
      ['\u0000'.repeat(100_000), 'it is not a capture'],
      ['\n\r\r\n', 'it is cut short: record 1, at byte 0, is incomplete'],
    ] as const) {
      if (content !== undefined) writeFileSync(file, content);
      expect(await misuseOf(replayCommand(), [file]))
        .to.contain(reason)
        .and.not.contain('\n');
    }
    const { status, stdout, stderr } = await replay().ended;
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    expect(stderr).to.match(/^error: .* it is cut short: .*\n$/);
  });
});
