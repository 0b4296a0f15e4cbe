import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkLine, checksOf, isHealthy, type Facts } from '../../src/doctor/index.js';
import type { LinuxFacts } from '../../src/doctor/facts.js';

const LINUX: LinuxFacts = {
  kernelHasBluetooth: true,
  adapters: [{ name: 'hci0', up: false, blocked: undefined }],
  native: { state: 'loaded', socket: undefined },
  mayUseRawSockets: true,
  mayTakeAdapters: true,
  vhci: 'allowed',
  inContainer: false,
  bluetoothd: false,
  socketOwners: [],
  unknownOwners: 0,
};

const UP: LinuxFacts['adapters'] = [{ name: 'hci0', up: true, blocked: undefined }];

const FACTS: Facts = {
  platform: 'linux',
  nodeVersion: '22.1.0',
  nodePath: '/usr/bin/node',
  ports: [{ port: 3000, what: 'dice server', free: true }],
  linux: LINUX,
};

const machine = (facts: Partial<Facts>, linux: Partial<LinuxFacts> = {}): Facts => ({
  ...FACTS,
  linux: { ...LINUX, ...linux },
  ...facts,
});

const lines = (facts: Facts): readonly string[] => checksOf(facts).map(checkLine);

describe('airbench doctor', () => {
  it('requires the lowest Node of `engines`', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    const [, major = '', minor = ''] = /^\^(\d+)\.(\d+)\.0 /.exec(engines.node) ?? [];
    const healthyOn = (nodeVersion: string) => isHealthy(checksOf(machine({ nodeVersion })));
    expect(healthyOn(`${major}.${minor}.0`)).to.equal(true);
    expect(healthyOn(`${major}.${Number(minor) - 1}.9`)).to.equal(false);
  });

  it('finds nothing wrong with a machine that can serve real devices', () => {
    expect(lines(FACTS)).to.deep.equal([
      'ok    Node 22.1.0',
      'ok    Linux',
      'ok    the kernel has Bluetooth',
      'ok    adapters: hci0',
      'ok    hci0 is down: a server, or a virtual device, has it for itself',
      'ok    the native module loads',
      'ok    this user may share an adapter',
      'ok    this user may have an adapter alone',
      'ok    bluetoothd does not run',
      'ok    nobody else uses Bluetooth',
      'ok    this user may make adapters of the kernel (--vhci)',
      'ok    port 3000 is free for the dice server',
    ]);
    expect(isHealthy(checksOf(FACTS))).to.equal(true);
  });

  const container = { inContainer: true };
  for (const [what, facts, line, healthy] of [
    [
      'an old Node',
      machine({ nodeVersion: '20.18.3' }),
      'fail  Node 20.18.3 is too old  → install Node 20.19 or later',
      false,
    ],
    ['Node 20.19', machine({ nodeVersion: '20.19.0' }), 'ok    Node 20.19.0', true],
    [
      'macOS',
      machine({ platform: 'darwin', linux: undefined }),
      'fail  macOS gives programs no HCI access to its adapter  → serve real devices from Linux, such as a ' +
        'Raspberry Pi; here use `npx airbench rig`, or --hci tcp:HOST:PORT with an H4 stream of another machine',
      false,
    ],
    [
      'Windows',
      machine({ platform: 'win32', linux: undefined }),
      'fail  Windows gives programs no HCI access to its adapter  → serve real devices from Linux, such as a ' +
        'Raspberry Pi; here use `npx airbench rig`, or --hci tcp:HOST:PORT with an H4 stream of another machine',
      false,
    ],
    [
      'a kernel without Bluetooth',
      machine({}, { kernelHasBluetooth: false }),
      'fail  the kernel has no Bluetooth, or has not loaded it  → `sudo modprobe bluetooth`',
      false,
    ],
    [
      'the same in a container',
      machine({}, { kernelHasBluetooth: false, ...container }),
      'fail  the kernel has no Bluetooth, or has not loaded it  → `sudo modprobe bluetooth` on the host of this container',
      false,
    ],
    [
      'no adapter',
      machine({}, { adapters: [] }),
      'fail  there is no Bluetooth adapter  → plug in a USB adapter, then see `dmesg | grep -i bluetooth`',
      false,
    ],
    [
      'an adapter that is up',
      machine({}, { adapters: [{ name: 'hci0', up: true, blocked: undefined }] }),
      'warn  hci0 is up: a server shares it with the kernel and other programs, which disturb it  → ' +
        '`sudo hciconfig hci0 down`, so that a server has it for itself',
      true,
    ],
    [
      'one of two adapters up',
      machine({}, { adapters: [...LINUX.adapters, { name: 'hci1', up: true, blocked: undefined }] }),
      'warn  hci1 is up: a server shares it with the kernel and other programs, which disturb it  → ' +
        '`sudo hciconfig hci1 down`, so that a server has it for itself',
      true,
    ],
    [
      'an adapter nobody can ask',
      machine({}, { adapters: [{ name: 'hci0', up: undefined, blocked: undefined }] }),
      'warn  nobody can say whether hci0 is up  → mend the native module, then ask again',
      true,
    ],
    [
      'rfkill',
      machine({}, { adapters: [{ name: 'hci0', up: false, blocked: 'soft' }] }),
      'fail  hci0 is blocked by rfkill  → `sudo rfkill unblock bluetooth`',
      false,
    ],
    [
      'no device to make adapters by',
      machine({}, { vhci: 'missing' }),
      'warn  there is no /dev/vhci, by which --vhci makes adapters of the kernel  → `sudo modprobe hci_vhci`',
      true,
    ],
    [
      'no permission to make adapters',
      machine({}, { vhci: 'denied' }),
      'warn  this user may not make adapters of the kernel, as --vhci does by /dev/vhci  → ' +
        '`sudo chown "$USER" /dev/vhci`, or run as root',
      true,
    ],
    [
      'a switch',
      machine({}, { adapters: [{ name: 'hci0', up: false, blocked: 'hard' }] }),
      'fail  hci0 is blocked by a switch of this machine  → turn the switch or the key for Bluetooth on',
      false,
    ],
    [
      'no native module',
      machine({}, { native: { state: 'notBuilt' } }),
      'fail  the native module for adapters is not built  → `npm run native` (it needs Python and a C++ compiler)',
      false,
    ],
    [
      'one of another Node',
      machine({}, { native: { state: 'failed', message: 'compiled against another Node' } }),
      'fail  the native module does not load: compiled against another Node  → `npm run native`, with the Node that is to run it',
      false,
    ],
    [
      'a container in a network of its own',
      machine({}, { native: { state: 'loaded', socket: 'EAFNOSUPPORT' }, ...container }),
      'fail  the system gives no Bluetooth socket: EAFNOSUPPORT  → run the container in the host’s network: `docker run --net=host …`',
      false,
    ],
    [
      'a system without Bluetooth sockets',
      machine({}, { native: { state: 'loaded', socket: 'EAFNOSUPPORT' } }),
      'fail  the system gives no Bluetooth socket: EAFNOSUPPORT  → `sudo modprobe bluetooth`',
      false,
    ],
    [
      'no permission',
      machine({}, { mayUseRawSockets: false, mayTakeAdapters: false }),
      'fail  this user may not share an adapter that is up, which raw Bluetooth sockets are for  → ' +
        '`sudo setcap cap_net_raw,cap_net_admin+eip /usr/bin/node`, or run as root',
      false,
    ],
    [
      'no permission in a container',
      machine({}, { mayUseRawSockets: false, mayTakeAdapters: false, ...container }),
      'fail  this user may not share an adapter that is up, which raw Bluetooth sockets are for  → ' +
        '`docker run --cap-add=NET_RAW --cap-add=NET_ADMIN …`',
      false,
    ],
    [
      'no permission to share, where nothing need be shared',
      machine({}, { mayUseRawSockets: false }),
      'warn  this user may not share an adapter that is up, which raw Bluetooth sockets are for  → ' +
        '`sudo setcap cap_net_raw,cap_net_admin+eip /usr/bin/node`, or run as root',
      true,
    ],
    [
      'no permission to share, where all is up',
      machine({}, { mayUseRawSockets: false, adapters: UP }),
      'fail  this user may not share an adapter that is up, which raw Bluetooth sockets are for  → ' +
        '`sudo setcap cap_net_raw,cap_net_admin+eip /usr/bin/node`, or run as root',
      false,
    ],
    [
      'an adapter that may not be had alone, while others are shared',
      machine({}, { mayTakeAdapters: false, adapters: UP }),
      'warn  this user may not have an adapter that is down alone, as servers do by themselves and --adapter does  → ' +
        '`sudo setcap cap_net_raw,cap_net_admin+eip /usr/bin/node`, or run as root',
      true,
    ],
    [
      'an adapter that may not be had alone, and is down',
      machine({}, { mayTakeAdapters: false }),
      'fail  this user may not have an adapter that is down alone, as servers do by themselves and --adapter does  → ' +
        '`sudo setcap cap_net_raw,cap_net_admin+eip /usr/bin/node`, or run as root',
      false,
    ],
    [
      'bluetoothd, whose own sockets do not count',
      machine({}, { bluetoothd: true, unknownOwners: 2, socketOwners: [{ pid: 7, command: 'bluetoothd' }] }),
      'warn  bluetoothd runs: what it scans for and connects disturbs the servers  → ' +
        '`sudo systemctl disable --now bluetooth`, then `sudo hciconfig hci0 down`',
      true,
    ],
    [
      'another program',
      machine(
        {},
        {
          socketOwners: [
            { pid: 41, command: 'node' },
            { pid: 42, command: 'python3' },
          ],
        },
      ),
      'warn  Bluetooth is in use by node (41), python3 (42)  → end it (`kill 41 42`), or keep it on another adapter',
      true,
    ],
    [
      'a program of somebody else',
      machine({}, { unknownOwners: 1 }),
      'warn  Bluetooth is in use by a program of another user  → `sudo npx airbench doctor` says by which',
      true,
    ],
    [
      'a port in use',
      machine({ ports: [{ port: 3100, what: 'control API', free: false }] }),
      "warn  port 3100, which the control API takes, is in use  → `ss -ltnp 'sport = :3100'` says by whom; or choose another port by its flag",
      true,
    ],
  ] as const) {
    it(`reports ${what}`, () => {
      expect(lines(facts)).to.include(line);
      expect(isHealthy(checksOf(facts))).to.equal(healthy);
    });
  }
});
