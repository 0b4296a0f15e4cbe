import { CLOCK, DIE } from '../air.js';
import type { Setup } from '../setup.js';
import { powerOn } from './power.js';

/** A request to one device: characteristics of a service, what is written, and the bytes of the response. */
interface Question {
  readonly device: string;
  readonly address: string;
  readonly addressType: 'public' | 'random';
  readonly service: string;
  readonly write: string;
  readonly notify: string;
  readonly request: string;
  readonly answer: string;
}

/** Battery, and "Bat" with 100 % (docs/godice-protocol.md §2, §3, §4). */
const BATTERY: Question = {
  device: 'die',
  address: DIE,
  addressType: 'random',
  service: '6e400001-b5a3-f393-e0a9-e50e24dcca9e',
  write: '6e400002-b5a3-f393-e0a9-e50e24dcca9e',
  notify: '6e400003-b5a3-f393-e0a9-e50e24dcca9e',
  request: '03',
  answer: '42 61 74 64',
};

/** Step 1 of the authentication with a token, and its ACK (docs/cgd1-protocol.md §2, §3, §3.1). */
const AUTHENTICATION: Question = {
  device: 'clock',
  address: CLOCK,
  addressType: 'public',
  service: '22210000-554a-4546-5542-46534450464d',
  write: '00000001-0000-1000-8000-00805f9b34fb',
  notify: '00000002-0000-1000-8000-00805f9b34fb',
  request: '1101000102030405060708090a0b0c0d0e0f',
  answer: '04 ff 01 00 02',
};

/** BlueZ' GATT client without its daemon, by way of the kernel's L2CAP sockets, on hci1. */
export const proveGatttool = async (setup: Setup): Promise<void> => {
  await setup.air.populate();
  await powerOn(setup.guest, 1);
  for (const question of [BATTERY, AUTHENTICATION]) await proveQuestion(setup, question);
};

const proveQuestion = async ({ guest, report }: Setup, question: Question): Promise<void> => {
  const { device, address, addressType, service, write, notify, request, answer } = question;
  const ask = async (line: string, pattern: RegExp): Promise<readonly string[]> => {
    guest.send(line);
    return guest.waitFor(pattern, `gatttool’s answer to ${line}`);
  };
  const talk = async (): Promise<void> => {
    await ask('connect', /Connection successful/);
    await ask('primary', new RegExp(service));
    const valueOf = (uuid: string) => `char value handle: (0x[0-9a-f]{4}), uuid: ${uuid}`;
    const [, input = '', output = ''] = await ask(
      'characteristics',
      new RegExp(`${valueOf(write)}[^]*${valueOf(notify)}`),
    );
    const [, configuration = ''] = await ask(
      `char-desc ${output}`,
      /handle: (0x[0-9a-f]{4}), uuid: 00002902/,
    );
    await ask(`char-write-req ${configuration} 0100`, /written successfully/);
    await ask(`char-write-req ${input} ${request}`, new RegExp(`handle = ${output} value: ${answer}`));
    await ask('disconnect', /\n/);
  };
  const command = `gatttool --adapter=hci1 --device=${address} --addr-type=${addressType} --interactive`;
  await report.check(
    `gatttool connects the ${device}, lists its services, writes ${request} and is notified of ${answer}`,
    async () => {
      await guest.converse(command, talk, 'exit');
    },
  );
};
