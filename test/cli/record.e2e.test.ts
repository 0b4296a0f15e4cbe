import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { AttOpcode } from '../../src/ble/hci/att.js';
import { readBtsnoop } from '../../simulators/devices/recorded/btsnoop.js';
import { Recorded } from '../../simulators/devices/recorded/links.js';
import { readChunks } from '../../src/system/files.js';
import { post } from '../support/client.js';
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
  expect(await readBtsnoop(readChunks(file), (record) => recorded.read(record))).to.deep.equal(
    E.right(undefined),
  );
  return recorded.links
    .flatMap(({ pdus }) => pdus)
    .filter(({ pdu }) => pdu[0] === AttOpcode.handleValueNotification)
    .map(({ pdu }) => pdu.subarray(1).toString('hex'));
};

describe('airbench record', () => {
  let folder: string;
  beforeEach(function () {
    requireUnix(this, 'signals to end a program by');
    folder = newFolder();
  });
  afterEach(endPrograms);

  const record = (hci: string, address: string, file: string, ...args: readonly string[]): Program =>
    Program.airbench(['record', address, file, '--hci', hci, '--scan-secs', '0.5', '--secs', '2', ...args]);

  /** The output of a recording, without the name of the file. */
  const outputOf = async (program: Program, file: string): Promise<string> => {
    const { status, stdout, stderr } = await program.ended;
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    return stdout.replace(file, 'FILE');
  };

  it('makes a capture whose replay is equal to the device: attributes, values, notifications', async () => {
    const air = Program.air(['--pace', 'fast', '--dice', '1', '--clocks', '0']);
    const control = await air.url('control API');
    const first = join(folder, 'die.btsnoop');
    const recording = record(await air.url('virtual radio'), DIE, first);
    for (const value of NOTIFIED) {
      // Refused until the recorder has subscribed.
      let status = 0;
      while (status !== 200) {
        ({ status } = await post(Number(new URL(control).port), `/devices/${DIE}/actions`, {
          ...{ type: 'notify', hex: value },
        }));
      }
    }
    const said = await outputOf(recording, first);
    expect(said)
      .to.contain('0x000E  6e400003b5a3f393e0a9e50e24dcca9e  notify')
      .and.to.contain('0x0003  2a00  read  47 6F 44 69 63 65 5F')
      .and.to.contain('FILE  characteristics 5  subscribed 2  notifications 3');
    expect(await notifications(first)).to.deep.equal(NOTIFIED.map((value) => `0e00${value}`));

    const replay = Program.airbench(['replay', first, '--hci-port', '0', '--pace', 'fast']);
    expect(await replay.url('replayed device')).to.equal(DIE);
    const second = join(folder, 'again.btsnoop');
    expect(await outputOf(record(await replay.url('virtual radio'), DIE, second), second)).to.equal(said);
    expect(await notifications(second)).to.deep.equal(await notifications(first));
  });

  it('makes an anonymous one', async () => {
    const air = Program.air(['--pace', 'fast', '--dice', '0', '--clocks', '1']);
    const file = join(folder, 'clock.btsnoop');
    await outputOf(record(await air.url('virtual radio'), CLOCK, file, '--anonymise', 'Clock'), file);
    const hex = readFileSync(file).toString('hex');
    expect(hex).not.to.contain('582d34000001').and.not.to.contain('010000342d58');
    const replay = Program.airbench(['replay', file, '--hci-port', '0']);
    expect(await replay.url('replayed device')).to.equal('58:2D:34:00:00:02');
  });

  it('ends its listening by a signal, and writes what it has', async () => {
    const air = Program.air(['--pace', 'fast', '--dice', '1', '--clocks', '0']);
    const control = Number(new URL(await air.url('control API')).port);
    const file = join(folder, 'die.btsnoop');
    const recording = record(await air.url('virtual radio'), DIE, file, '--secs', '1000');
    let status = 0;
    while (status !== 200) {
      ({ status } = await post(control, `/devices/${DIE}/actions`, { type: 'notify', hex: '52' }));
    }
    const ended = await recording.signal('SIGINT');
    expect(ended.status).to.equal(0);
    expect(ended.stdout).to.contain('notifications 1');
  });

  it('shows on a terminal when to use the device, and takes the line away', async function () {
    const air = Program.air(['--pace', 'fast', '--dice', '1', '--clocks', '0']);
    const args = ['record', DIE, join(folder, 'die.btsnoop'), '--hci', await air.url('virtual radio')];
    const terminal = Terminal.of(this, [...args, '--scan-secs', '2', '--secs', '2']);
    await terminal.shown(/listening to advertisements: \d s left/);
    await terminal.shown(/connected: use the device now, \d s left, 0 notifications/);
    expect((await terminal.program.ended).status).to.equal(0);
    expect(terminal.visible)
      .to.match(/^0x0001 service 1800\r\n/)
      .and.to.not.include('\u001b');
  });

  it('leaves nothing of that line at a Ctrl-C', async function () {
    const air = Program.air(['--pace', 'fast', '--dice', '1', '--clocks', '0']);
    const file = join(folder, 'die.btsnoop');
    const hci = await air.url('virtual radio');
    const terminal = Terminal.of(this, ['record', DIE, file, '--hci', hci, '--scan-secs', '1000']);
    await terminal.shown(/listening to advertisements/);
    terminal.type(CTRL_C);
    expect((await terminal.program.ended).status).to.equal(130);
    expect(terminal.visible).to.equal(`interrupted before ${DIE} was connected: ${file} is not written\r\n`);
  });

  it('writes nothing if it is interrupted before the device is connected', async () => {
    const air = Program.air(['--pace', 'fast', '--dice', '1', '--clocks', '0']);
    const file = join(folder, 'die.btsnoop');
    const hci = await air.url('virtual radio');
    const recording = record(hci, DIE, file, '--scan-secs', '1000', '--verbose', '3');
    await recording.logs(['"packet":"command leSetScanEnable"']);
    const { status, stderr } = await recording.signal('SIGINT');
    expect(status).to.equal(130);
    expect(stderr).to.include(`interrupted before ${DIE} was connected: ${file} is not written\n`);
    expect(() => readFileSync(file)).to.throw('ENOENT');
  });

  it('says in one message that a device is not there, and writes nothing', async () => {
    const air = Program.air(['--pace', 'fast', '--dice', '0', '--clocks', '0']);
    const file = join(folder, 'nothing.btsnoop');
    const { status, stderr } = await record(await air.url('virtual radio'), DIE, file).ended;
    expect(status).to.equal(1);
    expect(stderr).to.equal(
      `${DIE} was not heard within 0.5 s: wake it, bring it near, or scan longer with --scan-secs\n`,
    );
    expect(() => readFileSync(file)).to.throw('ENOENT');
  });
});
