import { setTimeout } from 'node:timers/promises';
import { ask } from '../air.js';
import type { Setup } from '../setup.js';
import { powerOn } from './power.js';

/** Private addresses are made and resolved by the kernel, or by the controller (LL privacy); each with devices of its own, which BlueZ has no keys of. */
const ways = [
  {
    by: 'the kernel',
    config: 'private',
    name: 'Hidden',
    open: 'F1:1E:00:00:01:01',
    hidden: 'F1:1E:00:00:01:02',
  },
  {
    by: 'the controller',
    config: 'private-offloaded',
    name: 'Offloaded',
    open: 'F1:1E:00:00:02:01',
    hidden: 'F1:1E:00:00:02:02',
  },
] as const;
type Way = (typeof ways)[number];

/** Seconds on a device's clock, which runs 20 times as fast: enough to pair by an address, even under emulation. */
const LIFETIME_SECS = 600;

/** Milliseconds, in which the address of a device is replaced for certain, once a host scans. */
const REPLACED_WITHIN = 90_000;

const services = [
  {
    uuid: '180f',
    characteristics: [
      { uuid: '2a19', properties: ['read'], permissions: { read: 'encrypted' }, value: { u8: 42 } },
    ],
  },
];

/** The two most significant bits of a resolvable private address are 01 (Core 5.4 Vol 6 Part B 1.3.2.2). */
const RESOLVABLE = '[4-7][0-9A-F](?::[0-9A-F]{2}){5}';

/** BlueZ with private addresses of its own, and a device that has some; each knows the other by its identity once they are bonded. */
export const provePrivacy = async (setup: Setup): Promise<void> => {
  for (const way of ways) await prove(setup, way);
};

const prove = async (setup: Setup, way: Way): Promise<void> => {
  const { guest, air } = setup;
  // The kernel refuses to change privacy while the adapter is on.
  const powerOff = () => guest.succeeds('timeout 10 btmgmt --index 0 power off');
  await ask('POST', `${air.controlUrl}/reset`, {});
  await ask('POST', `${air.controlUrl}/devices`, { kind: 'gatt', address: way.open, name: 'Open', services });
  const { output } = await guest.succeeds('hciconfig hci0');
  const adapter = /BD Address: (\S+)/.exec(output)?.[1] ?? '';
  await powerOff();
  await guest.succeeds(`bluetoothd.sh ${way.config}`);
  await powerOn(guest, 0);
  await guest.converse('bluetoothctl', () => talk(setup, way, adapter), 'quit');
  await guest.succeeds('kill $(cat /run/bluetoothd.pid)');
  await powerOff();
  await guest.succeeds('timeout 10 btmgmt --index 0 privacy off');
};

/** Ends at the first check that fails: what follows would time out. */
const talk = async (
  { guest, report, air }: Setup,
  { by, name, open, hidden }: Way,
  adapter: string,
): Promise<void> => {
  const say = (line: string, answer: RegExp): Promise<RegExpExecArray> => {
    guest.send(line);
    return guest.waitFor(answer, `bluetoothctl’s answer to ${line}`);
  };
  const isEncrypted = ({ security }: Readonly<Record<string, unknown>>): boolean => security === 'encrypted';
  const connectsAgain = async (address: string): Promise<void> => {
    await say(`disconnect ${address}`, /Successful disconnected/);
    await air.until(address, ({ security }) => security === 'open');
    await say(`connect ${address}`, /Connection successful/);
    await air.until(address, isEncrypted);
    await say(`disconnect ${address}`, /Successful disconnected/);
  };
  const checks: readonly (readonly [what: string, check: () => Promise<void>])[] = [
    [
      `BlueZ pairs by a private address of ${by}, gives its identity, and encrypts the next link`,
      async () => {
        await guest.waitFor(/Agent registered/, 'bluetoothctl to find its daemon');
        guest.send(`select ${adapter}`);
        await say('scan le', new RegExp(`Device ${open}`));
        await say(`pair ${open}`, /Pairing successful/);
        await air.until(open, isEncrypted);
        await air.until(open, ({ bonds }) => JSON.stringify(bonds).includes(`"address":"${adapter}"`));
        const [peer] = await air.peersOf(open);
        if (!new RegExp(`^${RESOLVABLE}$`).test(peer ?? '')) throw new Error(`it connected as ${peer ?? ''}`);
        await connectsAgain(open);
      },
    ],
    [
      'BlueZ pairs with a device by its private address, and knows it by its identity from then on',
      async () => {
        // Its first address is new now.
        const described = { kind: 'gatt', address: hidden, name, services };
        const privacy = { timeout_secs: LIFETIME_SECS };
        await ask('POST', `${air.controlUrl}/devices`, { ...described, pairing: {}, privacy });
        const [, address = ''] = await guest.waitFor(
          new RegExp(`Device (${RESOLVABLE}) ${name}`),
          'bluetoothctl to find the private address',
        );
        await say(`pair ${address}`, /Pairing successful/);
        await air.until(hidden, isEncrypted);
        await say(`info ${hidden}`, new RegExp(`Name: ${name}`));
        await connectsAgain(hidden);
      },
    ],
    [
      'when that device replaces its address in the middle of a scan, BlueZ finds no other device, and connects it by its identity',
      async () => {
        const before = (await air.addressesOf(name)).at(-1);
        const deadline = AbortSignal.timeout(REPLACED_WITHIN);
        while ((await air.addressesOf(name)).at(-1) === before) {
          if (deadline.aborted) throw new Error(`its address is ${before ?? 'unknown'} still`);
          await setTimeout(500);
        }
        const [known] = await say('devices', new RegExp(`^[^]*Device ${open} Open[^]*#`));
        const found = known.match(new RegExp(`Device \\S+ ${name}$`, 'gm')) ?? [];
        if (found.join() !== `Device ${hidden} ${name}`) throw new Error(found.join());
        await connectsAgain(hidden);
      },
    ],
  ];
  for (const [what, check] of checks) if (!(await report.check(what, check))) return;
};
