/** BlueZ' own tools, on adapters that the kernel has powered on. */
import { CLOCK, DIE } from '../clients.js';
import type { Setup } from '../guest.js';

export const provePower = async ({ guest, report }: Setup): Promise<void> => {
  for (const index of [0, 1]) {
    await report.check(`the kernel takes the controller at hvc${index} as hci${index}`, () =>
      guest.succeeds(`hciconfig hci${index} down && timeout 10 btmgmt --index ${index} info`, /addr/),
    );
    await report.check(`btmgmt powers hci${index} on`, () => guest.powerOn(index));
  }
};

/** Nordic UART service and its characteristics (docs/godice-protocol.md §2). */
export const NUS = '6e400001-b5a3-f393-e0a9-e50e24dcca9e';
const TO_THE_DIE = '6e400002-b5a3-f393-e0a9-e50e24dcca9e';
export const FROM_THE_DIE = '6e400003-b5a3-f393-e0a9-e50e24dcca9e';
/** Both LEDs constant, the first red and the second blue (docs/godice-protocol.md §3). */
const RED_AND_BLUE = '08 ff 00 00 00 00 ff';
/** "Char" and 1: on the charger (docs/godice-protocol.md §4). */
const CHARGING = '43 68 61 72 01';
/** The clock's service (docs/cgd1-protocol.md §2). */
const CLOCK_SERVICE = '22210000-554a-4546-5542-46534450464d';

/** BlueZ' daemon and its shell on hci0, through the kernel's management interface. */
export const proveBluetoothctl = async ({ guest, report, air }: Setup): Promise<void> => {
  await air.populate();
  await guest.powerOn(0);
  const adapter = await guest.addressOf('hci0');
  const bytes = RED_AND_BLUE.split(' ').map((byte) => `0x${byte}`);
  await guest.bluetoothctl('main', (shell) =>
    report.checks({
      'bluetoothctl finds the virtual die and the virtual clock': async () => {
        await shell.says(/Agent registered/);
        await shell.talks(
          [`select ${adapter}`],
          // The devices appear in any order.
          ['scan le', new RegExp(`Device ${DIE}[^]*Device ${CLOCK}|Device ${CLOCK}[^]*Device ${DIE}`)],
          [`info ${DIE}`, /Name: GoDice_/],
          [`info ${CLOCK}`, /Name: Qingping Alarm Clock/],
        );
      },
      'bluetoothctl connects the die and lists its services': () =>
        shell.talks(
          [`connect ${DIE}`, /ServicesResolved: yes/],
          ['menu gatt'],
          [`list-attributes ${DIE}`, new RegExp(`${NUS}[^]*${TO_THE_DIE}[^]*${FROM_THE_DIE}`)],
        ),
      [`bluetoothctl writes ${RED_AND_BLUE} to the die, and its LEDs are red and blue`]: async () => {
        await shell.talks(
          [`select-attribute ${TO_THE_DIE}`],
          [`write "${bytes.join(' ')}"`, /Attempting to write/],
        );
        await air.shows(DIE, { leds: ['FF0000', '0000FF'] });
      },
      [`bluetoothctl is notified by the die: ${CHARGING} when it is put on its charger`]: async () => {
        await shell.talks([`select-attribute ${FROM_THE_DIE}`], ['notify on', /Notify started/]);
        await air.act(DIE, { type: 'charge', on: true });
        await shell.says(new RegExp(`Value:\\s+${CHARGING}`));
        await air.act(DIE, { type: 'charge', on: false });
        await shell.talks(['back'], [`disconnect ${DIE}`, /Successful disconnected/]);
      },
      'bluetoothctl connects the clock and lists its services': () =>
        shell.talks(
          [`connect ${CLOCK}`, /ServicesResolved: yes/],
          ['menu gatt'],
          [`list-attributes ${CLOCK}`, new RegExp(CLOCK_SERVICE)],
          ['back'],
          [`disconnect ${CLOCK}`, /Successful disconnected/],
        ),
    }),
  );
};

/** A request to each device: the characteristics of a service, the bytes written, and the bytes of the answer. */
const QUESTIONS = [
  {
    ...{ device: 'die', address: DIE, type: 'random', service: NUS },
    ...{ write: TO_THE_DIE, notify: FROM_THE_DIE },
    // Battery, and "Bat" with 100 % (docs/godice-protocol.md §2, §3, §4).
    ...{ request: '03', answer: '42 61 74 64' },
  },
  {
    ...{ device: 'clock', address: CLOCK, type: 'public', service: CLOCK_SERVICE },
    write: '00000001-0000-1000-8000-00805f9b34fb',
    notify: '00000002-0000-1000-8000-00805f9b34fb',
    // Step 1 of the authentication with a token, and its ACK (docs/cgd1-protocol.md §2, §3, §3.1).
    ...{ request: '1101000102030405060708090a0b0c0d0e0f', answer: '04 ff 01 00 02' },
  },
] as const;

/** BlueZ' GATT client without the daemon on hci1, through the kernel's L2CAP sockets. */
export const proveGatttool = async ({ air, guest, report }: Setup): Promise<void> => {
  await air.populate();
  await guest.powerOn(1);
  const valueOf = (uuid: string) => `char value handle: (0x[0-9a-f]{4}), uuid: ${uuid}`;
  for (const { device, address, type, service, write, notify, request, answer } of QUESTIONS) {
    await report.check(
      `gatttool connects the ${device}, lists its services, writes ${request} and is notified of ${answer}`,
      () =>
        guest.converse(
          `gatttool --adapter=hci1 --device=${address} --addr-type=${type} --interactive`,
          async (shell) => {
            await shell.talks(['connect', /Connection successful/], ['primary', new RegExp(service)]);
            const both = new RegExp(`${valueOf(write)}[^]*${valueOf(notify)}`);
            const [, input = '', output = ''] = await shell.asks('characteristics', both);
            const described = /handle: (0x[0-9a-f]{4}), uuid: 00002902/;
            const [, configuration = ''] = await shell.asks(`char-desc ${output}`, described);
            await shell.talks(
              [`char-write-req ${configuration} 0100`, /written successfully/],
              [`char-write-req ${input} ${request}`, new RegExp(`handle = ${output} value: ${answer}`)],
              ['disconnect', /\n/],
            );
          },
        ),
    );
  }
};

/** Cases of BlueZ' hci-tester for LE controllers. */
const LE = [
  'Reset',
  'Read Local Version Information',
  'Read Local Supported Commands',
  'Read Local Supported Features',
  'Read Buffer Size',
  'Read BD_ADDR',
  'LE Read Accept List Size',
  'LE Clear Accept List',
  'LE Encrypt',
  'LE Rand',
  'LE Read Local PK',
  'LE Generate DHKey',
  'TP/DSU/BV-02-C Reset in Advertising State',
];

/** Cases of BR/EDR, and the tester's output if their first command fails with 0x01, Unknown HCI Command. */
const BR_EDR = {
  'Read Local Extended Features': 'Failed to get HCI extended features (0x01)',
  'Read Country Code': 'HCI command failed (0x01)',
  'Read Local Supported Codecs': 'HCI command failed (0x01)',
  'Inquiry (LIAC)': 'HCI inquiry command failed (0x01)',
  'Create Connection': 'Failed to set HCI scan enable (0x01)',
};

/** BlueZ' tester of controllers, which uses both adapters alone: it tests one adapter with the other as the peer. */
export const proveHciTester = async ({ guest, report }: Setup): Promise<void> => {
  let output = '';
  const ran = await report.check('hci-tester takes both controllers and runs to its end', async () => {
    for (const index of [0, 1]) await guest.succeeds(`timeout 10 btmgmt --index ${index} power off`);
    // The status of the tester is 1, since the cases of BR/EDR fail.
    output = (await guest.run('hci-tester', 60_000)).output;
    if (!output.includes('Test Summary')) throw new Error(`it printed no summary:\n${output}`);
  });
  if (!ran) return;
  const caseOf = (name: string): string =>
    output.slice(output.indexOf(`${name} - init`), output.indexOf(`${name} - done`));
  for (const name of LE) {
    await report.check(`hci-tester: ${name}`, () => {
      if (!output.includes(`${name} - test passed`)) throw new Error(caseOf(name));
    });
  }
  for (const [name, refusal] of Object.entries(BR_EDR)) {
    await report.check(`hci-tester: ${name}, of BR/EDR, is answered 0x01`, () => {
      if (!caseOf(name).includes(refusal)) throw new Error(caseOf(name));
    });
  }
  await report.check('hci-tester has no other case', () => {
    const names = [...output.matchAll(/^(.*) - init$/gm)].map(([, name = '']) => name);
    const newCases = names.filter((name) => !LE.includes(name) && !(name in BR_EDR));
    if (newCases.length > 0) throw new Error(newCases.join(', '));
  });
};
