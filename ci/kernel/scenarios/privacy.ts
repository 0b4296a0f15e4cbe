import { setTimeout } from 'node:timers/promises';
import { ask } from '../air.js';
import type { Guest } from '../guest.js';
import type { Setup } from '../setup.js';
import { powerOn } from './power.js';

/** Other devices than those that BlueZ has keys of already. */
const OPEN = 'F1:1E:00:00:01:01';
const HIDDEN = 'F1:1E:00:00:01:02';
const NAME = 'Hidden';

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

/** The kernel refuses to change privacy while the adapter is on. */
const setPrivacy = async (guest: Guest, on: boolean): Promise<void> => {
  await guest.succeeds('timeout 10 btmgmt --index 0 power off');
  if (!on) await guest.succeeds('timeout 10 btmgmt --index 0 privacy off');
};

/** BlueZ with private addresses of its own, and a device that has some; each knows the other by its identity once they are bonded. */
export const provePrivacy = async (setup: Setup): Promise<void> => {
  const { guest, air } = setup;
  await ask('POST', `${air.controlUrl}/reset`, {});
  await ask('POST', `${air.controlUrl}/devices`, { kind: 'gatt', address: OPEN, name: 'Open', services });
  const { output } = await guest.succeeds('hciconfig hci0');
  const adapter = /BD Address: (\S+)/.exec(output)?.[1] ?? '';
  await setPrivacy(guest, true);
  await guest.succeeds('bluetoothd.sh private');
  await powerOn(guest, 0);
  await guest.converse('bluetoothctl', () => talk(setup, adapter), 'quit');
  await guest.succeeds('kill $(cat /run/bluetoothd.pid)');
  await setPrivacy(guest, false);
};

/** Ends at the first check that fails: what follows would time out. */
const talk = async ({ guest, report, air }: Setup, adapter: string): Promise<void> => {
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
      'BlueZ with privacy on pairs by a private address, gives its identity, and encrypts the next link',
      async () => {
        await guest.waitFor(/Agent registered/, 'bluetoothctl to find its daemon');
        guest.send(`select ${adapter}`);
        await say('scan le', new RegExp(`Device ${OPEN}`));
        await say(`pair ${OPEN}`, /Pairing successful/);
        await air.until(OPEN, isEncrypted);
        await air.until(OPEN, ({ bonds }) => JSON.stringify(bonds).includes(`"address":"${adapter}"`));
        const [peer] = await air.peersOf(OPEN);
        if (!new RegExp(`^${RESOLVABLE}$`).test(peer ?? '')) throw new Error(`it connected as ${peer ?? ''}`);
        await connectsAgain(OPEN);
      },
    ],
    [
      'BlueZ pairs with a device by its private address, and knows it by its identity from then on',
      async () => {
        // Its first address is new now.
        const described = { kind: 'gatt', address: HIDDEN, name: NAME, services };
        const privacy = { timeout_secs: LIFETIME_SECS };
        await ask('POST', `${air.controlUrl}/devices`, { ...described, pairing: {}, privacy });
        const [, address = ''] = await guest.waitFor(
          new RegExp(`Device (${RESOLVABLE}) ${NAME}`),
          'bluetoothctl to find the private address',
        );
        await say(`pair ${address}`, /Pairing successful/);
        await air.until(HIDDEN, isEncrypted);
        await say(`info ${HIDDEN}`, new RegExp(`Name: ${NAME}`));
        await connectsAgain(HIDDEN);
      },
    ],
    [
      'when that device replaces its address in the middle of a scan, BlueZ finds no other device, and connects it by its identity',
      async () => {
        const before = (await air.addressesOf(NAME)).at(-1);
        const deadline = AbortSignal.timeout(REPLACED_WITHIN);
        while ((await air.addressesOf(NAME)).at(-1) === before) {
          if (deadline.aborted) throw new Error(`its address is ${before ?? 'unknown'} still`);
          await setTimeout(500);
        }
        const [known] = await say('devices', new RegExp(`^[^]*Device ${OPEN} Open[^]*#`));
        const found = known.match(new RegExp(`Device \\S+ ${NAME}$`, 'gm')) ?? [];
        if (found.join() !== `Device ${HIDDEN} ${NAME}`) throw new Error(found.join());
        await connectsAgain(HIDDEN);
      },
    ],
  ];
  for (const [what, check] of checks) if (!(await report.check(what, check))) return;
};
