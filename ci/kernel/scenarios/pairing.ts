import { ask } from '../air.js';
import type { Setup } from '../setup.js';
import { powerOn } from './power.js';

const addressOf = (n: number): string => `F1:1E:00:00:00:0${n}`;

const PASSKEY = 123456;

/** Encrypted alone, so that each must pair. */
const services = [
  {
    uuid: '180f',
    characteristics: [
      { uuid: '2a19', properties: ['read'], permissions: { read: 'encrypted' }, value: { u8: 42 } },
    ],
  },
];

type Part = 'nothing' | 'enters' | 'compares' | 'shows';

interface Case {
  readonly what: string;
  readonly name: string;
  readonly pairing: object;
  /** The part of the person at the host, whose IO capability is KeyboardDisplay. */
  readonly part: Part;
  readonly level: 'encrypted' | 'authenticated';
  readonly keySize?: number;
}

const legacy = { secure_connections: 'off' };

const cases: readonly Case[] = [
  { what: 'Just Works', name: 'works', pairing: {}, part: 'nothing', level: 'encrypted' },
  {
    ...{ what: 'a passkey that the device shows', name: 'shows', part: 'enters', level: 'authenticated' },
    pairing: { io: 'display', passkey: PASSKEY },
  },
  {
    ...{ what: 'numeric comparison', name: 'compares', part: 'compares', level: 'authenticated' },
    pairing: { io: 'yes_no', authenticated: true, identity_key: true, signing_key: true },
  },
  {
    ...{
      what: 'a passkey that is entered on the device',
      name: 'enters',
      part: 'shows',
      level: 'authenticated',
    },
    pairing: { io: 'keyboard' },
  },
  {
    ...{
      what: 'legacy Just Works, at the device’s request',
      name: 'old',
      part: 'nothing',
      level: 'encrypted',
    },
    pairing: { ...legacy, requests: true },
  },
  {
    ...{
      what: 'a legacy passkey and a key of 7 octets',
      name: 'short',
      part: 'enters',
      level: 'authenticated',
    },
    ...{ pairing: { ...legacy, io: 'display', passkey: PASSKEY, max_key_size: 7 }, keySize: 7 },
  },
];

/** bluetoothctl prints its questions only on a terminal that echoes. */
const BLUETOOTHCTL = '{ stty echo; bluetoothctl; stty -echo; }';

/** BlueZ pairs with devices by each method; bonds encrypt the next link. */
export const provePairing = async (setup: Setup): Promise<void> => {
  const { guest, air } = setup;
  await ask('POST', `${air.controlUrl}/reset`, {});
  for (const { name, pairing } of cases) {
    await ask('POST', `${air.controlUrl}/devices`, { kind: 'gatt', name, pairing, services });
  }
  await ask('POST', `${air.controlUrl}/devices`, { kind: 'gatt', name: 'never' });
  await powerOn(guest, 0);
  const { output } = await guest.succeeds('hciconfig hci0');
  const adapter = /BD Address: (\S+)/.exec(output)?.[1] ?? '';
  await guest.succeeds('bluetoothd.sh');
  await guest.converse(BLUETOOTHCTL, () => talk(setup, adapter), 'quit');
  await guest.succeeds('kill $(cat /run/bluetoothd.pid)');
};

/** Ends at the first check that fails: what follows would time out. */
const talk = async (setup: Setup, adapter: string): Promise<void> => {
  const { guest, report, air } = setup;
  const say = async (line: string, answer: RegExp): Promise<RegExpExecArray> => {
    guest.send(line);
    return guest.waitFor(answer, `bluetoothctl’s answer to ${line}`);
  };
  const play = async (part: Part, address: string): Promise<void> => {
    if (part === 'enters') {
      await guest.waitFor(/Enter passkey/, 'bluetoothctl to ask for the passkey');
      guest.send(String(PASSKEY));
    } else if (part === 'compares') {
      const [, number] = await guest.waitFor(/Confirm passkey (\d+)/, 'bluetoothctl to show a number');
      await air.until(address, ({ pairing }) => JSON.stringify(pairing).includes(`:${Number(number)}`));
      await air.act(address, { type: 'confirm', same: true });
      guest.send('yes');
    } else if (part === 'shows') {
      const [, shown] = await guest.waitFor(/Passkey: .*?(\d{6})/, 'the passkey');
      await air.until(address, ({ pairing }) => JSON.stringify(pairing) === '{"asks":"passkey"}');
      await air.act(address, { type: 'passkey', passkey: Number(shown) });
    }
  };
  const prepared = await report.check('bluetoothctl finds devices that pair', async () => {
    await guest.waitFor(/Agent registered/, 'bluetoothctl to find its daemon');
    guest.send(`select ${adapter}`);
    await say('agent off', /unregistered/);
    await say('agent KeyboardDisplay', /Agent registered/);
    await say('default-agent', /successful/);
    guest.send('scan le');
    // In any order.
    const all = Array.from({ length: cases.length + 1 }, (_, at) => `(?=[^]*Device ${addressOf(at + 1)})`);
    await guest.waitFor(new RegExp(`^${all.join('')}`), 'bluetoothctl to find all devices');
  });
  if (!prepared) return;
  for (const [index, { what, part, level, keySize = 16 }] of cases.entries()) {
    const address = addressOf(index + 1);
    const isLevel = (model: Readonly<Record<string, unknown>>): boolean =>
      model['security'] === level && model['key_size'] === keySize;
    const passed = await report.check(
      `BlueZ pairs by ${what}, and the bond encrypts the next link`,
      async () => {
        guest.send(`pair ${address}`);
        await play(part, address);
        await guest.waitFor(/Pairing successful/, 'bluetoothctl to have paired');
        await air.until(address, isLevel);
        await say(`disconnect ${address}`, /Successful disconnected/);
        await air.until(address, ({ security }) => security === 'open');
        await say(`connect ${address}`, /Connection successful/);
        await air.until(address, isLevel);
        await say(`disconnect ${address}`, /Successful disconnected/);
      },
    );
    if (!passed) return;
  }
  await report.check('a device that does not pair refuses at once', async () => {
    await say(
      `pair ${addressOf(cases.length + 1)}`,
      /Failed to pair: org\.bluez\.Error\.AuthenticationFailed/,
    );
  });
};
