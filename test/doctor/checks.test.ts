import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { machineReport } from '../../src/doctor/checks.js';
import { type Facts, type LinuxFacts } from '../../src/doctor/facts.js';
import { reportLines } from '../../src/doctor/report.js';
import { jsonOf, rows } from '../support/rows.js';

/** A desktop: bluetoothd has its adapter on, and its user has no rights. */
const LINUX: LinuxFacts = {
  kernelHasBluetooth: true,
  adapters: [{ name: 'hci0', up: true, blocked: undefined }],
  native: { state: 'loaded', socket: undefined },
  mayUseRawSockets: false,
  mayTakeAdapters: false,
  vhci: 'missing',
  inContainer: false,
  bus: true,
  bluetoothd: 'running',
  bluez: E.right([{ name: 'hci0', address: '00:1A:7D:DA:71:13', isPowered: true, isBlocked: false }]),
  socketOwners: [],
  unknownOwners: 2,
};

/** A machine for servers alone: without BlueZ, with all rights. */
const BARE: Partial<LinuxFacts> = {
  adapters: [{ name: 'hci0', up: false, blocked: undefined }],
  mayUseRawSockets: true,
  mayTakeAdapters: true,
  vhci: 'allowed',
  bus: false,
  bluetoothd: 'missing',
  bluez: E.left({ what: 'there is no bus' }),
  unknownOwners: 0,
};

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

const lines = (facts: Facts): readonly string[] => reportLines(machineReport(facts));

describe('airbench doctor', () => {
  it('requires the lowest Node of `engines`', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    const [, major = '', minor = ''] = /^\^(\d+)\.(\d+)\.0 /.exec(engines.node) ?? [];
    const healthyOn = (nodeVersion: string) => machineReport(machine({ nodeVersion })).healthy;
    expect(healthyOn(`${major}.${minor}.0`)).to.equal(true);
    expect(healthyOn(`${major}.${Number(minor) - 1}.9`)).to.equal(false);
  });

  it('needs BlueZ alone', () => {
    const rights = '`sudo setcap cap_net_raw,cap_net_admin+eip /usr/bin/node` (or run as root)';
    expect(lines(FACTS)).to.deep.equal([
      'ok    Node 22.1.0',
      'ok    Linux',
      'ok    adapter: hci0',
      'ok    --bluez: hci0 is on, and BlueZ shares it with any program',
      'note  --hci user:hci0: this user has no right to have an adapter to itself; hci0 is up' +
        `  → ${rights}, then \`sudo hciconfig hci0 down\``,
      `note  --hci hci0: this user has no right to share an adapter by raw sockets  → ${rights}`,
      'ok    no other program of this user uses Bluetooth',
      'note  there is no /dev/vhci, for virtual adapters (--vhci)  → `sudo modprobe hci_vhci`',
      'ok    port 3000 is free for the dice server',
      'run: npx airbench dice',
    ]);
    expect(machineReport(FACTS).healthy).to.equal(true);
  });

  it('needs an adapter alone', () => {
    expect(lines(machine({}, BARE)).slice(2, -1)).to.deep.equal([
      'ok    adapter: hci0',
      'note  --bluez: bluetoothd does not run, and is in no usual place  → `sudo apt install bluez`',
      'ok    --hci user:hci0: a server can have it to itself',
      'note  --hci hci0: hci0 is down  → `sudo hciconfig hci0 up`',
      'ok    no other program uses Bluetooth',
      'ok    this user may make virtual adapters of the kernel (--vhci)',
      'ok    port 3000 is free for the dice server',
    ]);
  });

  /** The rights of the user, the state of the adapter; the command. */
  for (const [bluez, rights, up, command] of [
    [true, true, true, 'npx airbench dice'],
    [false, true, false, 'npx airbench dice'],
    [false, true, true, 'npx airbench dice --hci hci0'],
    [false, false, true, 'sudo systemctl enable --now bluetooth'],
  ] as const) {
    const states = `BlueZ ${bluez ? 'on' : 'off'}, rights ${rights ? 'on' : 'off'}, hci0 ${up ? 'up' : 'down'}`;
    it(`names the command for ${states}`, () => {
      const report = machineReport(
        machine(
          {},
          {
            ...(!bluez && {
              bluez: E.left({ what: 'no answer', fix: 'run `sudo systemctl enable --now bluetooth`' }),
            }),
            ...{ mayTakeAdapters: rights, mayUseRawSockets: rights },
            adapters: [{ name: 'hci0', up, blocked: undefined }],
          },
        ),
      );
      expect(report.run).to.equal(command);
      expect(report.healthy).to.equal(command.startsWith('npx'));
    });
  }

  it('names the page of a dice server that runs', () => {
    const dice = { port: 3000, what: 'dice server', free: false, airbench: 'dice server' };
    const control = { port: 3100, what: 'control API', free: false, airbench: 'control API' };
    const report = lines(machine({ ports: [dice, control] }));
    expect(report.slice(-3)).to.deep.equal([
      'note  a dice server of airbench runs on port 3000  → open http://localhost:3000/',
      'note  a control API of airbench runs on port 3100  → open http://localhost:3100/',
      'do: open http://localhost:3000/',
    ]);
  });

  it('names a command that takes a free port', () => {
    const runWith = (port: number, free: boolean) =>
      machineReport(machine({ ports: [{ port, what: 'dice server', free }] })).run;
    expect(runWith(3000, false)).to.equal('npx airbench dice --port 0');
    expect(runWith(4000, true)).to.equal('npx airbench dice --port 4000');
    expect(machineReport(machine({ ports: [] })).run).to.equal('npx airbench dice');
  });

  for (const [what, platform] of [
    ['macOS', 'darwin'],
    ['Windows', 'win32'],
  ] as const) {
    it(`sends users of ${what} to a proxy`, () => {
      const report = lines(machine({ platform, linux: undefined }));
      expect(report[1]).to.contain(`fail  airbench cannot use the adapter of ${what}  → \`npx airbench dice`);
      expect(report.at(-1)).to.equal('run: npx airbench dice --proxy auto');
    });
  }

  const HCI0 = '"adapters":[{"name":"hci0"';
  const OFF =
    '"bluez":{"_tag":"Right","right":[{"name":"hci0","address":"00:1A:7D:DA:71:13","isPowered":false}]}';
  const NO_BLUEZ = '"bluez":{"_tag":"Left","left":{"what":"BlueZ does not answer"}}';
  const SETCAP = '`sudo setcap cap_net_raw,cap_net_admin+eip /usr/bin/node` (or run as root)';
  const CAPABILITIES = '`docker run --cap-add=NET_RAW --cap-add=NET_ADMIN …`';
  const NOTHING = '"adapters":[],"bluez":{"_tag":"Right","right":[]}';
  /** The difference of a machine to a desktop (`desktop`), to one for servers (`bare`), or of its facts; the line; its remedy. */
  const troubles = rows(
    4,
    `
    facts   | {"nodeVersion":"20.18.3"} | fail  Node 20.18.3 is too old | install Node 20.19 or later
    facts   | {"ports":[{"port":3100,"what":"control API","free":false}]} | warn  port 3100, which the control API takes, is in use | \`ss -ltnp 'sport = :3100'\` names the program
    desktop | {${NOTHING}} | fail  there is no Bluetooth adapter | plug in a USB adapter (\`sudo dmesg
    desktop | {${NOTHING},"kernelHasBluetooth":false} | fail  there is no Bluetooth adapter: the kernel has no Bluetooth, or has not loaded it | plug in a USB adapter
    desktop | {${OFF},${HCI0},"up":false,"blocked":"soft"}]} | fail  hci0 is blocked by rfkill | \`sudo rfkill unblock bluetooth\`
    desktop | {${OFF},${HCI0},"up":false,"blocked":"hard"}]} | fail  hci0 is blocked by a switch of this machine | turn the switch or the key for Bluetooth on
    desktop | {${OFF}} | fail  --bluez: hci0 is off | \`bluetoothctl power on\`
    desktop | {"bluez":{"_tag":"Right","right":[]}} | fail  --bluez: BlueZ has no adapter, though the kernel has hci0 | end the program
    desktop | {${NO_BLUEZ}} | fail  --bluez: BlueZ does not answer | see \`systemctl status bluetooth\`
    desktop | {"bluez":{"_tag":"Left","left":{"what":"it is away","fix":"run \`it\`"}}} | fail  --bluez: it is away | run \`it\`
    desktop | {${NO_BLUEZ},"bluetoothd":"missing"} | fail  --bluez: bluetoothd does not run, and is in no usual place | \`sudo apt install bluez\`
    desktop | {${NO_BLUEZ},"bluetoothd":"missing","inContainer":true} | fail  --bluez: BlueZ does not answer | see \`systemctl status bluetooth\`
    desktop | {${NO_BLUEZ},"bus":false,"bluetoothd":"missing","inContainer":true} | fail  --bluez: this container has no system bus, by which it could reach BlueZ of its host | \`docker run -v /run/dbus:/run/dbus:ro …\`
    bare    | {"native":{"state":"failed","what":"the module is away","fix":"\`npm install it\`"}} | fail  --hci user:hci0: the module is away | \`npm install it\`
    bare    | {"native":{"state":"loaded","socket":"EAFNOSUPPORT"}} | fail  --hci hci0: the system gives no Bluetooth socket: EAFNOSUPPORT | \`sudo modprobe bluetooth\`
    bare    | {"native":{"state":"loaded","socket":"EAFNOSUPPORT"},"inContainer":true} | fail  --hci hci0: the system gives no Bluetooth socket: EAFNOSUPPORT | \`docker run --net=host …\`
    bare    | {"mayTakeAdapters":false} | fail  --hci user:hci0: this user has no right to have an adapter to itself | ${SETCAP}
    bare    | {"mayTakeAdapters":false,"inContainer":true} | fail  --hci user:hci0: this user has no right to have an adapter to itself | ${CAPABILITIES}
    bare    | {"mayUseRawSockets":false} | note  --hci hci0: this user has no right to share an adapter by raw sockets; hci0 is down | ${SETCAP}, then \`sudo hciconfig hci0 up\`
    bare    | {${HCI0},"up":true}]} | note  --hci user:hci0: hci0 is up | \`sudo hciconfig hci0 down\`
    bare    | {${HCI0}}]} | fail  --hci user:hci0: it is unknown whether hci0 is up | \`sudo hciconfig hci0 down\`
    bare    | {"vhci":"denied"} | note  this user may not make virtual adapters of the kernel | \`sudo chown "$USER" /dev/vhci\`, or run as root
    bare    | {"socketOwners":[{"pid":41,"command":"node"},{"pid":42,"command":"python3"}]} | warn  Bluetooth is in use by node (41), python3 (42) | end it (\`kill 41 42\`)
    bare    | {"unknownOwners":1} | warn  Bluetooth is in use by a program of another user | \`sudo npx airbench doctor\` names the program
    `,
  );
  for (const [of, changes, what, advice] of troubles) {
    it(`reports ${changes}`, () => {
      const changed = jsonOf(changes) as object;
      const facts =
        of === 'facts' ? machine(changed) : machine({}, { ...(of === 'bare' && BARE), ...changed });
      const line = lines(facts).find((candidate) => candidate.startsWith(what));
      expect(line).to.contain('  → ').and.to.contain(advice);
      expect(machineReport(facts).healthy).to.equal(!what.startsWith('fail'));
    });
  }

  it('serves devices on one of two adapters', () => {
    const two = machine(
      {},
      {
        ...BARE,
        adapters: [
          { name: 'hci0', up: false, blocked: 'soft' },
          { name: 'hci1', up: false, blocked: undefined },
        ],
      },
    );
    expect(lines(two)).to.include.members([
      'ok    adapter: hci0 (blocked), hci1',
      'ok    --hci user:hci1: a server can have it to itself',
      'run: npx airbench dice',
    ]);
  });

  it('ends with an action if no command helps', () => {
    const none = machine({}, { adapters: [], bluez: E.right([]) });
    expect(lines(none).at(-1)).to.match(/^do: plug in a USB adapter/);
    expect(lines(none)).to.include('ok    --bluez: BlueZ answers');
  });
});
