import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { LOADER } from '../../simulators/lab/linux/packages.js';
import { settings } from '../../simulators/lab/linux/guest.js';
import {
  folderShare,
  network,
  packagedQemu,
  radioConnection,
  type Machine,
} from '../../simulators/lab/linux/qemu.js';
import {
  readExit,
  signalStatus,
  START_MS,
  startSession,
  startSessionOrBoot,
  type Streams,
} from '../../simulators/lab/linux/session.js';
import { newFolder } from '../support/folders.js';
import { manualTime } from '../support/manual-time.js';
import { requireLinux } from '../support/require.js';

describe('The command line of QEMU', () => {
  it('has a radio by TCP or by a Unix socket', () => {
    expect(radioConnection('hci0', { kind: 'tcp', host: '::1', port: 6402 })).to.deep.equal([
      '-chardev',
      'socket,id=hci0,host=::1,port=6402,nodelay=on',
    ]);
    expect(radioConnection('hci1', { kind: 'unix', path: '/run/a,b' })).to.deep.equal([
      '-chardev',
      'socket,id=hci1,path=/run/a,,b',
    ]);
  });

  it('has folders, with escaped commas', () => {
    expect(folderShare('layer0', '/a,b', true)).to.deep.equal([
      '-fsdev',
      'local,id=layer0,path=/a,,b,security_model=none,multidevs=remap,readonly=on',
      '-device',
      'virtio-9p-pci,fsdev=layer0,mount_tag=layer0',
    ]);
    expect(folderShare('folder', '/a', false).join(' ')).to.not.contain('readonly');
  });

  it('has a network with the forwarded ports', () => {
    expect(network([{ guest: 3000, host: 41000 }])).to.include(
      'user,id=net,hostfwd=tcp:127.0.0.1:41000-10.0.2.15:3000',
    );
  });
});

/** A machine with a script as its QEMU. */
const machineOf = (script: string): Machine => {
  const root = newFolder();
  mkdirSync(dirname(join(root, LOADER)));
  writeFileSync(join(root, LOADER), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return {
    ...{ qemu: packagedQemu(root), accelerator: 'tcg', processors: 1, memory: 64 },
    ...{ kernel: '', initramfs: '', devices: [] },
  };
};

const noStreams = (): Streams => ({
  ...{ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() },
  terminal: undefined,
});

describe('A guest', () => {
  it('receives its layers, its folder and its adapters', () => {
    const guest = { layers: ['/', '/packages'], folder: "/home/a's", adapters: 2, hasTerminal: true };
    expect(settings(guest, 'bench').split('\n')).to.deep.equal([
      ...["LAYERS='layer0 layer1'", `FOLDER='/home/a'\\''s'`, "ADAPTERS='hvc0 hvc1'", "NAME='bench'"],
      ...["TERMINAL='yes'", ''],
    ]);
  });

  it('reports the exit status of the command, and the size of its output', () => {
    expect(readExit('exit 7 12 0')).to.deep.equal({ status: 7, out: 12, err: 0 });
    expect(readExit('begin')).to.equal(undefined);
  });

  it('has the exit status of shells after a signal', () => {
    expect([signalStatus('SIGINT'), signalStatus('SIGTERM')]).to.deep.equal([130, 143]);
  });

  it('ends with its output in the message if it never runs the command', async function () {
    requireLinux(this, 'QEMU of ours');
    const machine = machineOf('echo no adapter >&2; exec sleep 1000');
    const time = manualTime();
    let onOutput = (): void => undefined;
    const output = new Promise<void>((resolve) => (onOutput = resolve));
    const session = startSession(machine, noStreams(), () => onOutput(), time);
    await output;
    time.advance(START_MS);
    const ended = await session.ended;
    expect(E.isLeft(ended) && ended.left).to.match(
      /no adapter\n\nthe guest did not run the command within 300 s$/,
    );
    expect(time.pending).to.equal(0);
  });

  const bootsAlone = `
      case "$*" in *-incoming*) exit 1 ;; esac
      echo begin >&4; echo exit 3 0 0 >&4
      exec sleep 1000`;
  const noRadio = E.left('the guest ended before the command did:\nno radio');
  for (const [title, script, end, stateAfter] of [
    ['boots, and empties its state, if it cannot continue from it', bootsAlone, E.right(3), ''],
    ['keeps its state if it cannot boot either', 'echo no radio >&2; exit 1', noRadio, 'whole'],
  ] as const)
    it(title, async function () {
      requireLinux(this, 'QEMU of ours');
      const state = join(newFolder(), 'state');
      writeFileSync(state, 'whole');
      const machine = { ...machineOf(script), state };
      const session = startSessionOrBoot(machine, noStreams(), () => undefined, manualTime());
      expect(await session.ended).to.deep.equal(end);
      expect(readFileSync(state, 'utf8')).to.equal(stateAfter);
    });
});
