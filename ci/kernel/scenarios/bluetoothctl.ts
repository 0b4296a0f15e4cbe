import { CLOCK, DIE } from '../air.js';
import type { Setup } from '../setup.js';
import { powerOn } from './power.js';

/** Nordic UART service and its characteristics (docs/godice-protocol.md §2). */
const NUS = '6e400001-b5a3-f393-e0a9-e50e24dcca9e';
const TO_THE_DIE = '6e400002-b5a3-f393-e0a9-e50e24dcca9e';
const FROM_THE_DIE = '6e400003-b5a3-f393-e0a9-e50e24dcca9e';
/** Both LEDs constant, the first red and the second blue (docs/godice-protocol.md §3). */
const RED_AND_BLUE = '08 ff 00 00 00 00 ff';
/** "Char" and 1: on the charger (docs/godice-protocol.md §4). */
const CHARGING = '43 68 61 72 01';
/** The clock's service (docs/cgd1-protocol.md §2). */
const CLOCK_SERVICE = '22210000-554a-4546-5542-46534450464d';

/** BlueZ' daemon and its shell, by way of the kernel's management interface, on hci0. */
export const proveBluetoothctl = async (setup: Setup): Promise<void> => {
  const { guest } = setup;
  await setup.air.populate();
  await powerOn(guest, 0);
  const { output } = await guest.succeeds('hciconfig hci0');
  const adapter = /BD Address: (\S+)/.exec(output)?.[1] ?? '';
  await guest.succeeds('bluetoothd.sh');
  await guest.converse('bluetoothctl', () => talk(setup, adapter), 'quit');
  await guest.succeeds('kill $(cat /run/bluetoothd.pid)');
};

/** Ends at the first check that fails: what follows would time out. */
const talk = async (setup: Setup, adapter: string): Promise<void> => {
  const { guest, report, air } = setup;
  const ask = async (line: string, answer: RegExp): Promise<void> => {
    guest.send(line);
    await guest.waitFor(answer, `bluetoothctl’s answer to ${line}`);
  };
  const checks: readonly (readonly [what: string, check: () => Promise<void>])[] = [
    [
      'bluetoothctl finds the virtual die and the virtual clock',
      async () => {
        await guest.waitFor(/Agent registered/, 'bluetoothctl to find its daemon');
        guest.send(`select ${adapter}`);
        // In any order.
        await ask('scan le', new RegExp(`Device ${DIE}[^]*Device ${CLOCK}|Device ${CLOCK}[^]*Device ${DIE}`));
        await ask(`info ${DIE}`, /Name: GoDice_/);
        await ask(`info ${CLOCK}`, /Name: Qingping Alarm Clock/);
      },
    ],
    [
      'bluetoothctl connects the die and lists its services',
      async () => {
        await ask(`connect ${DIE}`, /ServicesResolved: yes/);
        guest.send('menu gatt');
        await ask(`list-attributes ${DIE}`, new RegExp(`${NUS}[^]*${TO_THE_DIE}[^]*${FROM_THE_DIE}`));
      },
    ],
    [
      `bluetoothctl writes ${RED_AND_BLUE} to the die, and its LEDs are red and blue`,
      async () => {
        guest.send(`select-attribute ${TO_THE_DIE}`);
        const bytes = RED_AND_BLUE.split(' ').map((byte) => `0x${byte}`);
        await ask(`write "${bytes.join(' ')}"`, /Attempting to write/);
        await air.until(DIE, ({ leds }) => JSON.stringify(leds) === '["FF0000","0000FF"]');
      },
    ],
    [
      `bluetoothctl is notified by the die: ${CHARGING} when it is put on its charger`,
      async () => {
        guest.send(`select-attribute ${FROM_THE_DIE}`);
        await ask('notify on', /Notify started/);
        await air.act(DIE, { type: 'charge', on: true });
        await guest.waitFor(new RegExp(`Value:\\s+${CHARGING}`), `the notification ${CHARGING}`);
        await air.act(DIE, { type: 'charge', on: false });
        guest.send('back');
        await ask(`disconnect ${DIE}`, /Successful disconnected/);
      },
    ],
    [
      'bluetoothctl connects the clock and lists its services',
      async () => {
        await ask(`connect ${CLOCK}`, /ServicesResolved: yes/);
        guest.send('menu gatt');
        await ask(`list-attributes ${CLOCK}`, new RegExp(CLOCK_SERVICE));
        guest.send('back');
        await ask(`disconnect ${CLOCK}`, /Successful disconnected/);
      },
    ],
  ];
  for (const [what, check] of checks) {
    if (!(await report.check(what, check))) return;
  }
};
