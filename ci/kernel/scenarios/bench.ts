import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { Kind } from '../../../src/contract/kinds.js';
import { DIE, ask, devicesAt } from '../air.js';
import { startAirbench } from '../airbench.js';
import { GUEST_PORTS, type Setup } from '../setup.js';
import { powerOn } from './power.js';

/** Milliseconds: a program under emulation is slow to start and to end; its requests are faster. */
const START_LIMIT = 120_000;
const ANSWER_LIMIT = 60_000;

/** The service of a die (docs/godice-protocol.md §2). */
const NUS_SERVICE = '6e400001-b5a3-f393-e0a9-e50e24dcca9e';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A virtual device that has an adapter of the guest's kernel for itself; the server is outside, on a controller of its
 * own.
 */
export const proveBench = async (setup: Setup): Promise<void> => {
  const { guest, report, air } = setup;
  const serve = (kind: Kind) =>
    guest.run(
      `serve.sh air --adapter hci1 --device ${kind} --control-address 10.0.2.15 --control-port ${GUEST_PORTS.control}`,
      START_LIMIT,
    );
  await air.populate();
  await powerOn(guest, 1);
  await report.check(
    'airbench air --adapter hci1 does not start while hci1 is up, and says the fix',
    async () => {
      const { status, output } = await serve('dice');
      if (status === 0 || !output.includes('sudo hciconfig hci1 down')) throw new Error(output);
    },
  );
  await guest.succeeds('hciconfig hci1 down');
  for (const [kind, check] of [
    ['dice', proveDie],
    ['clock', proveClock],
  ] as const) {
    const started = await report.check(
      `airbench air --adapter hci1 --device ${kind} is on the air once hci1 is down`,
      async () => {
        const { status, output } = await serve(kind);
        if (status !== 0) throw new Error(output);
      },
    );
    if (!started) return;
    await check(setup);
  }
  await proveKernelUses(setup);
};

const proveKernelUses = async ({ guest, report }: Setup): Promise<void> => {
  await report.check('after all that the kernel finds and connects another die on hci1', async () => {
    await powerOn(guest, 1);
    const { output } = await guest.succeeds(`timeout 20 gatttool -i hci1 -b ${DIE} -t random --primary`);
    if (!output.includes(NUS_SERVICE)) throw new Error(`gatttool did not find ${NUS_SERVICE}:\n${output}`);
  });
};

const proveDie = async (setup: Setup): Promise<void> => {
  const { report, guest } = setup;
  const control = `http://127.0.0.1:${setup.ports.control}`;
  const { act, until } = devicesAt(control);
  await withServer(setup, 'dice', [], async (url) => {
    const { address, name } = await theDevice(control);
    let session = '';
    const checks: readonly (readonly [what: string, check: () => Promise<void>])[] = [
      [
        'a dice server on another controller finds it, with its name',
        async () => {
          const found = await scan(url);
          const die = found.find((one) => one['address'] === address);
          if (die?.['name'] !== name)
            throw new Error(`${String(name)} is not among ${JSON.stringify(found)}`);
        },
      ],
      [
        'connects it, and reads its battery',
        async () => {
          session = String(fieldsOf(await ask('POST', `${url}/api/connect`, { address }))['session_id']);
          await batteryIs(url, session, 100);
        },
      ],
      [
        'and receives a roll that the control API in the guest starts, as Stable with its face',
        async () => {
          const events = await stream(`${url.replace('http', 'ws')}/ws?detail=full`);
          await act(address, { type: 'roll', die: 'd6', face: 5 });
          const stable = await events.next((event) => event['kind'] === 'Stable');
          if (stable['face'] !== 5 || stable['address'] !== address) throw new Error(JSON.stringify(stable));
          events.close();
        },
      ],
      [
        'when its link was ended it advertises again, and is connected again',
        async () => {
          await ask('POST', `${url}/api/disconnect`, { session_id: session });
          session = String(fieldsOf(await ask('POST', `${url}/api/connect`, { address }))['session_id']);
          await batteryIs(url, session, 100);
        },
      ],
      ['while it is connected it does not advertise', () => hearsNot(url, address)],
      [
        'reset by the control API it is as at the start, and connected again',
        async () => {
          const events = await stream(`${url.replace('http', 'ws')}/ws?detail=full`);
          await act(address, { type: 'battery', level: 57 });
          await batteryIs(url, session, 57);
          await ask('POST', `${control}/reset`, {});
          await events.next((event) => event['kind'] === 'Reconnected');
          events.close();
          await batteryIs(url, session, 100);
        },
      ],
      [
        'with its adapter unplugged it loses its link; plugged in again, it is connected again',
        async () => {
          const events = await stream(`${url.replace('http', 'ws')}/ws?detail=full`);
          await guest.succeeds('unplug.sh hci1');
          await until(address, ({ connected }) => connected === false);
          await guest.succeeds('plug.sh hci1 /dev/ttyS2');
          await events.next((event) => event['kind'] === 'Reconnected');
          events.close();
          await batteryIs(url, session, 100);
        },
      ],
      [
        'it ends in order, and its link with it; it is off the air',
        async () => {
          const events = await stream(`${url.replace('http', 'ws')}/ws?detail=full`);
          await guest.succeeds('stop.sh air', START_LIMIT);
          await events.next((event) => event['kind'] === 'Disconnected');
          events.close();
          await hearsNot(url, address);
        },
      ],
    ];
    for (const [what, check] of checks) if (!(await report.check(what, check))) return;
  });
};

const proveClock = async (setup: Setup): Promise<void> => {
  const { report, guest } = setup;
  const folder = await mkdtemp(join(tmpdir(), 'airbench-kernel-tokens-'));
  try {
    await withServer(setup, 'clock', ['--data-dir', folder], async (url) => {
      const { address } = await theDevice(`http://127.0.0.1:${setup.ports.control}`);
      await report.check(
        'a clock server on another controller binds it, and reads its firmware',
        async () => {
          const answers = await stream(`${url.replace('http', 'ws')}/ws`);
          for (const [id, type] of ['connect', 'read_firmware'].entries()) {
            answers.send({ id, command: { type, address } });
            const answer = await answers.next((message) => message['id'] === id);
            if (answer['error'] !== null) throw new Error(JSON.stringify(answer));
          }
          answers.close();
        },
      );
      await report.check('the clock ends in order', async () => {
        await guest.succeeds('stop.sh air', START_LIMIT);
      });
    });
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** Runs `work` with a server on a controller of its own of the radio. */
const withServer = async (
  { air, signal }: Setup,
  kind: Kind,
  flags: readonly string[],
  work: (url: string) => Promise<void>,
): Promise<void> => {
  const hci = `tcp:127.0.0.1:${air.hciPort}`;
  const url = new RegExp(`^${kind} server\\s+(http:\\S+)`, 'm');
  const args = [kind, '--hci', hci, '--address', '127.0.0.1', '--port', '0', ...flags];
  const server = await startAirbench(args, [url], signal);
  try {
    await work(url.exec(server.output)?.[1] ?? '');
  } finally {
    await server.end();
  }
};

const scan = async (url: string): Promise<readonly Fields[]> =>
  (await ask('POST', `${url}/api/scan?duration_secs=2`, {})) as readonly Fields[];

/** A scan finds others, and not `address`. */
const hearsNot = async (url: string, address: string): Promise<void> => {
  const found = await scan(url);
  if (!found.some((one) => one['address'] === DIE)) throw new Error('the scan found no device at all');
  if (found.some((one) => one['address'] === address)) throw new Error(JSON.stringify(found));
};

const theDevice = async (control: string): Promise<{ address: string; name: unknown }> => {
  const [device = {}] = (await (await fetch(`${control}/devices`)).json()) as readonly Fields[];
  return { address: String(device['address']), name: device['name'] };
};

const batteryIs = async (url: string, session: string, level: number): Promise<void> => {
  const battery = fieldsOf(await (await fetch(`${url}/api/battery/${session}`)).json());
  if (battery['battery_level'] !== level) throw new Error(JSON.stringify(battery));
};

const fieldsOf = (json: unknown): Fields => json as Fields;

/** A WebSocket of JSON messages. */
const stream = async (url: string) => {
  const socket = new WebSocket(url);
  const messages: Fields[] = [];
  const received = new EventTarget();
  socket.on('message', (data: Buffer) => {
    messages.push(fieldsOf(JSON.parse(data.toString())));
    received.dispatchEvent(new Event('message'));
  });
  await once(socket, 'open');
  return {
    send: (message: object): void => socket.send(JSON.stringify(message)),
    close: (): void => socket.close(),
    /** The first message, received already or later, that matches. */
    next: async (wanted: (message: Fields) => boolean): Promise<Fields> => {
      const limit = AbortSignal.timeout(ANSWER_LIMIT);
      for (;;) {
        const message = messages.find(wanted);
        if (message !== undefined) return message;
        if (limit.aborted) throw new Error(`it never came; received: ${JSON.stringify(messages)}`);
        await once(received, 'message', { signal: limit }).catch(() => undefined);
      }
    },
  };
};
