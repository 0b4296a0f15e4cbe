import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { AttOpcode } from '../../src/ble/hci/att.js';
import { readCapture } from '../../simulators/devices/recorded/captures/capture.js';
import { Recorded } from '../../simulators/devices/recorded/links.js';
import { readChunks } from '../../src/system/files.js';
import { portOf, post } from '../support/client.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { newFolder } from '../support/folders.js';
import { requireUnix } from '../support/require.js';
import { CTRL_C, Terminal } from '../support/terminal.js';

const DIE = 'D1:CE:00:00:00:01';
const CLOCK = '58:2D:34:00:00:01';
const NOTIFIED = ['53010000', '530000ff', '52'];

/** The notifications of a device on its only link, in hex. */
const notifications = async (file: string): Promise<readonly string[]> => {
  const recorded = new Recorded(undefined);
  expect(await readCapture(readChunks(file), (record) => recorded.read(record))).to.deep.equal(
    E.right(undefined),
  );
  return recorded.links
    .flatMap(({ pdus }) => pdus)
    .filter(({ pdu }) => pdu[0] === AttOpcode.handleValueNotification)
    .map(({ pdu }) => pdu.subarray(1).toString('hex'));
};

describe('airbench record', () => {
  let file: string;
  beforeEach(function () {
    requireUnix(this, 'signals to end a program by');
    file = join(newFolder(), 'capture.btsnoop');
  });
  afterEach(endPrograms);

  /** The flags of a recording on a new radio with `dice` dice, and a notification of the first die to the recorder. */
  const radioWith = async (dice: number, clocks = 0) => {
    const air = Program.air(['--pace', 'fast', '--dice', String(dice), '--clocks', String(clocks)]);
    const control = portOf(await air.url('control API'));
    return {
      flags: ['--hci', await air.url('virtual radio')],
      notify: async (hex: string): Promise<void> => {
        // Refused until the recorder has subscribed.
        const act = () => post(control, `/devices/${DIE}/actions`, { type: 'notify', hex });
        while ((await act()).status !== 200);
      },
    };
  };

  const record = (flags: readonly string[], to = file, address = DIE): Program =>
    Program.airbench(['record', address, to, '--scan-secs', '0.5', '--secs', '2', ...flags]);

  /** The output of a recording, without the name of the file. */
  const outputOf = async (program: Program, to = file): Promise<string> => {
    const { status, stdout, stderr } = await program.ended;
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    return stdout.replace(to, 'FILE');
  };

  it('makes a capture whose replay is equal to the device: attributes, values, notifications', async () => {
    const { flags, notify } = await radioWith(1);
    const recording = record(flags);
    for (const value of NOTIFIED) await notify(value);
    const output = await outputOf(recording);
    expect(output)
      .to.contain('0x000E  6e400003b5a3f393e0a9e50e24dcca9e  notify')
      .and.to.contain('0x0003  2a00  read  47 6F 44 69 63 65 5F')
      .and.to.contain('FILE  characteristics 5  subscribed 2  notifications 3');
    expect(await notifications(file)).to.deep.equal(NOTIFIED.map((value) => `0e00${value}`));

    const replay = Program.airbench(['replay', file, '--hci-port', '0', '--pace', 'fast']);
    expect(await replay.url('replayed device')).to.equal(DIE);
    const again = `${file}.again`;
    const recordingAgain = record(['--hci', await replay.url('virtual radio')], again);
    expect(await outputOf(recordingAgain, again)).to.equal(output);
    expect(await notifications(again)).to.deep.equal(await notifications(file));
  });

  it('makes an anonymous capture', async () => {
    const { flags } = await radioWith(0, 1);
    await outputOf(record([...flags, '--anonymise', 'Clock'], file, CLOCK));
    const hex = readFileSync(file).toString('hex');
    expect(hex).not.to.contain('582d34000001').and.not.to.contain('010000342d58');
    const replay = Program.airbench(['replay', file, '--hci-port', '0']);
    expect(await replay.url('replayed device')).to.equal('58:2D:34:00:00:02');
  });

  it('ends at a signal, and writes the capture so far', async () => {
    const { flags, notify } = await radioWith(1);
    const recording = record([...flags, '--secs', '1000']);
    await notify('52');
    const { status, stdout } = await recording.signal('SIGINT');
    expect(status).to.equal(0);
    expect(stdout).to.contain('notifications 1');
  });

  it('shows on a terminal when to use the device, and removes the line at the end', async function () {
    const { flags } = await radioWith(1);
    const terminal = Terminal.of(this, ['record', DIE, file, ...flags, '--scan-secs', '2', '--secs', '2']);
    await terminal.shown(/listening to advertisements: \d s left/);
    await terminal.shown(/connected: use the device now, \d s left, 0 notifications/);
    expect((await terminal.program.ended).status).to.equal(0);
    expect(terminal.visible)
      .to.match(/^0x0001 service 1800\r\n/)
      .and.to.not.include('\u001b');
  });

  it('leaves neither a status line nor a file if it is interrupted before the connection', async function () {
    const { flags } = await radioWith(1);
    const terminal = Terminal.of(this, ['record', DIE, file, ...flags, '--scan-secs', '1000']);
    await terminal.shown(/listening to advertisements/);
    terminal.type(CTRL_C);
    expect((await terminal.program.ended).status).to.equal(130);
    expect(terminal.visible).to.equal(`interrupted before ${DIE} was connected: ${file} is not written\r\n`);
    expect(existsSync(file)).to.equal(false);
  });

  it('reports an absent device in one message, and writes no file', async () => {
    const { flags } = await radioWith(0);
    expect(await record(flags).ended).to.include({
      status: 1,
      stderr: `${DIE} was not heard within 0.5 s: wake it, bring it near, or scan longer with --scan-secs\n`,
    });
    expect(existsSync(file)).to.equal(false);
  });
});
