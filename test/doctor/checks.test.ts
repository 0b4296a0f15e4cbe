import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkLine, checksOf, isHealthy } from '../../src/doctor/checks.js';
import { type Facts, type LinuxFacts } from '../../src/doctor/facts.js';
import { jsonOf, rows } from '../support/rows.js';

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
      'ok    hci0 is down: a server, or a virtual device, has it to itself',
      'ok    the native module loads',
      'ok    this user may share an adapter',
      'ok    servers of this user may have an adapter to themselves',
      'ok    bluetoothd does not run',
      'ok    nobody else uses Bluetooth',
      'ok    this user may make adapters of the kernel (--vhci)',
      'ok    port 3000 is free for the dice server',
    ]);
    expect(isHealthy(checksOf(FACTS))).to.equal(true);
  });

  const none = { platform: 'darwin', linux: undefined } as const;
  const elsewhere = 'serve real devices from Linux, such as a Raspberry Pi; here use `npx airbench rig`';
  for (const [what, facts] of [
    ['macOS', none],
    ['Windows', { ...none, platform: 'win32' }],
  ] as const) {
    it(`sends users of ${what} to Linux`, () => {
      const checks = checksOf(machine(facts));
      expect(checks.map(checkLine).join('\n')).to.contain(
        `fail  ${what} gives programs no HCI access to its adapter  → ${elsewhere}`,
      );
      expect(isHealthy(checks)).to.equal(false);
    });
  }

  const HCI0 = '"adapters":[{"name":"hci0"';
  const SETCAP = '`sudo setcap cap_net_raw,cap_net_admin+eip /usr/bin/node`, or run as root';
  const SHARE = 'this user may not share an adapter that is up, which raw Bluetooth sockets are for';
  const ALONE =
    'servers of this user may not have an adapter to themselves, as they have one that is down, and as --adapter needs';
  /** The difference of a machine: `linux`, unless it says `facts`; the line; its remedy. */
  const troubles = rows(
    4,
    `
    facts | {"nodeVersion":"20.18.3"} | fail  Node 20.18.3 is too old | install Node 20.19 or later
    facts | {"ports":[{"port":3100,"what":"control API","free":false}]} | warn  port 3100, which the control API takes, is in use | \`ss -ltnp 'sport = :3100'\` names the program
    linux | {"kernelHasBluetooth":false} | fail  the kernel has no Bluetooth, or has not loaded it | \`sudo modprobe bluetooth\`
    linux | {"kernelHasBluetooth":false,"inContainer":true} | fail  the kernel has no Bluetooth, or has not loaded it | on the host of this container
    linux | {"adapters":[]} | fail  there is no Bluetooth adapter | plug in a USB adapter, then see \`dmesg
    linux | {${HCI0},"up":true}]} | warn  hci0 is up: a server shares it with the kernel and other programs | \`sudo hciconfig hci0 down\`
    linux | {${HCI0},"up":false},{"name":"hci1","up":true}]} | warn  hci1 is up: a server shares it | \`sudo hciconfig hci1 down\`
    linux | {${HCI0}}]} | warn  it is unknown whether hci0 is up | mend the native module, then ask again
    linux | {${HCI0},"up":false,"blocked":"soft"}]} | fail  hci0 is blocked by rfkill | \`sudo rfkill unblock bluetooth\`
    linux | {${HCI0},"up":false,"blocked":"hard"}]} | fail  hci0 is blocked by a switch of this machine | turn the switch or the key for Bluetooth on
    linux | {"vhci":"missing"} | warn  there is no /dev/vhci, by which --vhci makes adapters of the kernel | \`sudo modprobe hci_vhci\`
    linux | {"vhci":"denied"} | warn  this user may not make adapters of the kernel | \`sudo chown "$USER" /dev/vhci\`, or run as root
    linux | {"native":{"state":"notBuilt"}} | fail  the native module for adapters is not built | \`npm run native\`
    linux | {"native":{"state":"failed","message":"another Node"}} | fail  the native module does not load: another Node | with the Node that is to run it
    linux | {"native":{"state":"loaded","socket":"EAFNOSUPPORT"}} | fail  the system gives no Bluetooth socket: EAFNOSUPPORT | \`sudo modprobe bluetooth\`
    linux | {"native":{"state":"loaded","socket":"EAFNOSUPPORT"},"inContainer":true} | fail  the system gives no Bluetooth socket: EAFNOSUPPORT | \`docker run --net=host …\`
    linux | {"mayUseRawSockets":false,"mayTakeAdapters":false} | fail  ${SHARE} | ${SETCAP}
    linux | {"mayUseRawSockets":false,"mayTakeAdapters":false,"inContainer":true} | fail  ${SHARE} | \`docker run --cap-add=NET_RAW --cap-add=NET_ADMIN …\`
    linux | {"mayUseRawSockets":false} | warn  ${SHARE} | ${SETCAP}
    linux | {"mayUseRawSockets":false,${HCI0},"up":true}]} | fail  ${SHARE} | ${SETCAP}
    linux | {"mayTakeAdapters":false,${HCI0},"up":true}]} | warn  ${ALONE} | ${SETCAP}
    linux | {"mayTakeAdapters":false} | fail  ${ALONE} | ${SETCAP}
    linux | {"bluetoothd":true,"unknownOwners":2,"socketOwners":[{"pid":7,"command":"bluetoothd"}]} | warn  bluetoothd runs: its scans and connections disturb the servers | \`sudo systemctl disable --now bluetooth\`
    linux | {"socketOwners":[{"pid":41,"command":"node"},{"pid":42,"command":"python3"}]} | warn  Bluetooth is in use by node (41), python3 (42) | end it (\`kill 41 42\`)
    linux | {"unknownOwners":1} | warn  Bluetooth is in use by a program of another user | \`sudo npx airbench doctor\` names the program
    `,
  );
  for (const [of, changes, found, advice] of troubles) {
    it(`reports ${changes}`, () => {
      const changed = jsonOf(changes) as object;
      const checks = checksOf(of === 'facts' ? machine(changed) : machine({}, changed));
      const line = checks.map(checkLine).find((candidate) => candidate.startsWith(found));
      expect(line).to.contain('  → ').and.to.contain(advice);
      expect(isHealthy(checks)).to.equal(found.startsWith('warn'));
    });
  }
});
