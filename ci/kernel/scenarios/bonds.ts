/** BlueZ' daemon and devices that know each other by keys: pairing, and private addresses. */
import { becomes } from '../clients.js';
import type { Program } from '../program.js';
import type { Setup } from '../guest.js';

/** Services that need encryption, so that each host must pair. */
const services = [
  {
    uuid: '180f',
    characteristics: [
      { uuid: '2a19', properties: ['read'], permissions: { read: 'encrypted' }, value: { u8: 42 } },
    ],
  },
];

const PASSKEY = 123456;

/** The part of the person at the host, whose IO capability is KeyboardDisplay. */
const parts = {
  nothing: () => Promise.resolve(),
  enters: async ({ shell }: Scene) => {
    await shell.says(/Enter passkey/);
    shell.send(String(PASSKEY));
  },
  compares: async ({ shell, air, address }: Scene) => {
    const [, number] = await shell.says(/Confirm passkey (\d+)/);
    await air.until(address, ({ pairing }) => JSON.stringify(pairing).includes(`:${Number(number)}`));
    await air.act(address, { type: 'confirm', same: true });
    shell.send('yes');
  },
  shows: async ({ shell, air, address }: Scene) => {
    const [, shown] = await shell.says(/Passkey: .*?(\d{6})/);
    await air.shows(address, { pairing: { asks: 'passkey' } });
    await air.act(address, { type: 'passkey', passkey: Number(shown) });
  },
};

interface Scene extends Pick<Setup, 'air'> {
  readonly shell: Program;
  readonly address: string;
}

type Case = readonly [
  by: string,
  name: string,
  pairing: object,
  part: keyof typeof parts,
  level: 'encrypted' | 'authenticated',
  keySize?: number,
];

const display = { io: 'display', passkey: PASSKEY };
const keys = { identity_key: true, signing_key: true };
const legacy = { secure_connections: 'off' };
const short = { ...legacy, ...display, max_key_size: 7 };
const cases: readonly Case[] = [
  ['Just Works', 'works', {}, 'nothing', 'encrypted'],
  ['a passkey that the device shows', 'shows', display, 'enters', 'authenticated'],
  [
    'numeric comparison',
    'compares',
    { io: 'yes_no', authenticated: true, ...keys },
    'compares',
    'authenticated',
  ],
  ['a passkey that is entered on the device', 'enters', { io: 'keyboard' }, 'shows', 'authenticated'],
  [
    'legacy Just Works, at the device’s request',
    'old',
    { ...legacy, requests: true },
    'nothing',
    'encrypted',
  ],
  ['a legacy passkey and a key of 7 octets', 'short', short, 'enters', 'authenticated', 7],
];

/** Connects a bonded device again; the key of the bond encrypts the link. */
const connectsAgain = async ({ shell, air, address }: Scene, security: object): Promise<void> => {
  await shell.asks(`disconnect ${address}`, /Successful disconnected/);
  await air.shows(address, { security: 'open' });
  await shell.asks(`connect ${address}`, /Connection successful/);
  await air.shows(address, { ...security });
  await shell.asks(`disconnect ${address}`, /Successful disconnected/);
};

/** BlueZ pairs with devices by each method; bonds encrypt the next link. */
export const provePairing = async ({ guest, air, report }: Setup): Promise<void> => {
  const addressOf = (index: number): string => `F1:1E:00:00:00:0${index + 1}`;
  await air.populate([
    ...cases.map(([, name, pairing]) => ({ kind: 'gatt', name, pairing, services })),
    { kind: 'gatt', name: 'never' },
  ]);
  await guest.powerOn(0);
  const adapter = await guest.addressOf('hci0');
  const all = [...cases.keys(), cases.length].map((index) => `(?=[^]*Device ${addressOf(index)})`);
  const talk = (shell: Program) =>
    report.checks({
      'bluetoothctl finds devices that pair': async () => {
        await shell.says(/Agent registered/);
        await shell.talks(
          [`select ${adapter}`],
          ['agent off', /unregistered/],
          ['agent KeyboardDisplay', /Agent registered/],
          ['default-agent', /successful/],
          // The devices appear in any order.
          ['scan le', new RegExp(`^${all.join('')}`)],
        );
      },
      ...Object.fromEntries(
        cases.map(([by, , , part, level, keySize = 16], index) => [
          `BlueZ pairs by ${by}, and the bond encrypts the next link`,
          async () => {
            const scene = { shell, air, address: addressOf(index) };
            const security = { security: level, key_size: keySize };
            shell.send(`pair ${scene.address}`);
            await parts[part](scene);
            await shell.says(/Pairing successful/);
            await air.shows(scene.address, security);
            await connectsAgain(scene, security);
          },
        ]),
      ),
      'a device that does not pair refuses at once': () =>
        shell.asks(
          `pair ${addressOf(cases.length)}`,
          /Failed to pair: org\.bluez\.Error\.AuthenticationFailed/,
        ),
    });
  // bluetoothctl prints its questions only on a terminal that echoes.
  await guest.bluetoothctl('main', talk, true);
};

/** The kernel, or the controller (LL privacy), makes and resolves private addresses; BlueZ has no keys of the devices yet. */
const ways = [
  {
    ...{ by: 'the kernel', configuration: 'private', name: 'Hidden' },
    ...{ open: 'F1:1E:00:00:01:01', hidden: 'F1:1E:00:00:01:02' },
  },
  {
    ...{ by: 'the controller', configuration: 'private-offloaded', name: 'Offloaded' },
    ...{ open: 'F1:1E:00:00:02:01', hidden: 'F1:1E:00:00:02:02' },
  },
] as const;
type Way = (typeof ways)[number];

/** Seconds on a device's clock, which runs 20 times as fast: enough to pair by an address, even under emulation. */
const LIFETIME_SECS = 600;

/** The time in which a device certainly replaces its address during a scan, ms. */
const REPLACED_WITHIN = 90_000;

/** The two most significant bits of a resolvable private address are 01 (Core 5.4 Vol 6 Part B 1.3.2.2). */
const RESOLVABLE = '[4-7][0-9A-F](?::[0-9A-F]{2}){5}';

const ENCRYPTED = { security: 'encrypted' };

/** BlueZ and a device, both with private addresses; each knows the other by its identity once they are bonded. */
export const provePrivacy = async (setup: Setup): Promise<void> => {
  const { guest, air } = setup;
  // The kernel refuses to change privacy while the adapter is on.
  const powerOff = 'timeout 10 btmgmt --index 0 power off';
  for (const way of ways) {
    await air.populate([{ kind: 'gatt', address: way.open, name: 'Open', services }]);
    const adapter = await guest.addressOf('hci0');
    await guest.succeeds(powerOff);
    await guest.bluetoothctl(way.configuration, async (shell) => {
      await guest.powerOn(0);
      await proveWay(setup, way, adapter, shell);
    });
    await guest.succeeds(`${powerOff} && timeout 10 btmgmt --index 0 privacy off`);
  }
};

const proveWay = (
  { report, air }: Setup,
  { by, name, open, hidden }: Way,
  adapter: string,
  shell: Program,
): Promise<boolean> =>
  report.checks({
    [`BlueZ pairs by a private address of ${by}, gives its identity, and encrypts the next link`]:
      async () => {
        await shell.says(/Agent registered/);
        await shell.talks(
          [`select ${adapter}`],
          ['scan le', new RegExp(`Device ${open}`)],
          [`pair ${open}`, /Pairing successful/],
        );
        await air.shows(open, ENCRYPTED);
        await air.until(open, ({ bonds }) => JSON.stringify(bonds).includes(`"address":"${adapter}"`));
        const [peer] = await air.peersOf(open);
        if (!new RegExp(`^${RESOLVABLE}$`).test(peer ?? '')) throw new Error(`it connected as ${peer ?? ''}`);
        await connectsAgain({ shell, air, address: open }, ENCRYPTED);
      },
    'BlueZ pairs with a device by its private address, and knows it by its identity from then on':
      async () => {
        // The lifetime of the first address begins now.
        const privacy = { timeout_secs: LIFETIME_SECS };
        await air.add({ kind: 'gatt', address: hidden, name, services, pairing: {}, privacy });
        const [, address = ''] = await shell.says(new RegExp(`Device (${RESOLVABLE}) ${name}`));
        await shell.asks(`pair ${address}`, /Pairing successful/);
        await air.shows(hidden, ENCRYPTED);
        await shell.asks(`info ${hidden}`, new RegExp(`Name: ${name}`));
        await connectsAgain({ shell, air, address: hidden }, ENCRYPTED);
      },
    'when that device replaces its address in the middle of a scan, BlueZ finds no other device, and connects it by its identity':
      async () => {
        const newest = async () => (await air.addressesOf(name)).at(-1);
        const before = await newest();
        await becomes(newest, (address) => address !== before, REPLACED_WITHIN);
        const [listed] = await shell.asks('devices', new RegExp(`^[^]*Device ${open} Open[^]*#`));
        const devices = listed.match(new RegExp(`Device \\S+ ${name}$`, 'gm')) ?? [];
        if (devices.join() !== `Device ${hidden} ${name}`) throw new Error(devices.join());
        await connectsAgain({ shell, air, address: hidden }, ENCRYPTED);
      },
  });
