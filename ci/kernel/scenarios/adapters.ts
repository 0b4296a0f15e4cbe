/** Virtual devices, radios and recordings on adapters of the guest's kernel. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kind } from '../../../src/contract/kinds.js';
import type { SimulatedDevice } from '../../../simulators/testing/index.js';
import { Listener } from '../../../simulators/testing/internal/listener.js';
import { Air, DIE, DiceServer } from '../clients.js';
import { GUEST_PORTS, IN_GUEST, type Guest, type Setup } from '../guest.js';
import { ANSWER_LIMIT, during, START_LIMIT, type Program } from '../program.js';
import { NUS } from './tools.js';

/** The flags for a control API in the guest that can be reached from outside. */
const CONTROL = `--control-address 10.0.2.15 --control-port ${GUEST_PORTS.control}`;

const onlyDevice = async (control: Air): Promise<SimulatedDevice> => {
  const [device] = await control.devices();
  if (device === undefined) throw new Error('the air in the guest has no device');
  return device;
};

const airInGuest = ({ ports }: Setup): Air => new Air(`http://127.0.0.1:${ports.control}`);

/**
 * A virtual device has an adapter of the guest's kernel to itself; the server is outside of the guest, on another
 * controller.
 */
export const proveBench = async (setup: Setup): Promise<void> => {
  const { guest, report, air } = setup;
  await air.populate();
  await guest.powerOn(1);
  await report.check('airbench air --adapter hci1 does not start while hci1 is up, and names the fix', () =>
    guest.refuses(`air --adapter hci1 --device dice ${CONTROL}`, 'sudo hciconfig hci1 down'),
  );
  await guest.succeeds('hciconfig hci1 down');
  for (const [kind, prove] of Object.entries({ dice: proveDie, clock: proveClock })) {
    const command = `air --adapter hci1 --device ${kind}`;
    let device: Program | undefined;
    await report.check(`airbench ${command} is on the air once hci1 is down`, async () => {
      device = await guest.serves(`${command} ${CONTROL}`);
    });
    if (device === undefined) return;
    await prove(setup, device);
  }
  await report.check('afterwards the kernel finds and connects another die on hci1', async () => {
    await guest.powerOn(1);
    await guest.succeeds(`timeout 20 gatttool -i hci1 -b ${DIE} -t random --primary`, new RegExp(NUS));
  });
};

const proveDie = async (setup: Setup, device: Program): Promise<void> => {
  const { report, guest } = setup;
  const control = airInGuest(setup);
  await withServer(setup, 'dice', [], async (url) => {
    const server = new DiceServer(url);
    const { address, name } = await onlyDevice(control);
    const connectsAndReads = async (): Promise<void> => {
      await server.connects(address);
      await server.hasBattery(100);
    };
    await report.checks({
      'a dice server on another controller finds it, with its name': async () => {
        const dice = await server.scan(2);
        if (dice.find((die) => die['address'] === address)?.['name'] !== name)
          throw new Error(`${name} is not among ${JSON.stringify(dice)}`);
      },
      'connects it, and reads its battery': connectsAndReads,
      'and receives a roll that the control API in the guest starts, as Stable with its face': () =>
        server.sees({ kind: 'Stable', face: 5, address }, () =>
          control.act(address, { type: 'roll', die: 'd6', face: 5 }),
        ),
      'when its link was ended it advertises again, and is connected again': async () => {
        await server.disconnects();
        await connectsAndReads();
      },
      'while it is connected it does not advertise': () => hearsNot(server, address),
      'after a reset by the control API it has its initial state, and is connected again': async () => {
        await server.sees({ kind: 'Reconnected' }, async () => {
          await control.act(address, { type: 'battery', level: 57 });
          await server.hasBattery(57);
          await control.reset();
        });
        await server.hasBattery(100);
      },
      'with its adapter unplugged it loses its link; plugged in again, it is connected again': async () => {
        await server.sees({ kind: 'Reconnected' }, async () => {
          await guest.unplug(1);
          await control.shows(address, { connected: false });
          guest.plug(1);
        });
        await server.hasBattery(100);
      },
      'it ends in order, and its link with it; it is off the air': async () => {
        await server.sees({ kind: 'Disconnected' }, () => device.stop());
        await hearsNot(server, address);
      },
    });
  });
};

const proveClock = async (setup: Setup, device: Program): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'airbench-kernel-tokens-'));
  const { address } = await onlyDevice(airInGuest(setup));
  await withServer(setup, 'clock', ['--data-dir', folder], async (url) => {
    await setup.report.checks({
      'a clock server on another controller binds it, and reads its firmware': () => bindsClock(url, address),
      'the clock ends in order': () => device.stop(),
    });
  }).finally(() => rm(folder, { recursive: true }));
};

/** Binds a clock by its server at `url`, and reads the clock's firmware. */
export const bindsClock = async (url: string, address: string): Promise<void> => {
  const answers = await Listener.open(`${url}/ws`, { limit: ANSWER_LIMIT });
  for (const [id, type] of ['connect', 'read_firmware'].entries()) {
    answers.say(JSON.stringify({ id, command: { type, address } }));
    const answer = await answers.next((message) => message['id'] === id);
    if (answer['error'] !== null) throw new Error(JSON.stringify(answer));
  }
  answers.close();
};

/** Runs `work` with a server on a separate controller of the radio. */
const withServer = (
  { airbench, hci }: Setup,
  kind: Kind,
  flags: readonly string[],
  work: (url: string) => Promise<void>,
): Promise<void> =>
  during(
    airbench([kind, '--hci', hci, '--address', '127.0.0.1', '--port', '0', ...flags]),
    new RegExp(`^${kind} server\\s+(http:\\S+)`, 'm'),
    work,
  );

/** Checks that a scan finds other devices, but not `address`. */
const hearsNot = async (server: DiceServer, address: string): Promise<void> => {
  const addresses = (await server.scan(2)).map((die) => die['address']);
  if (!addresses.includes(DIE)) throw new Error('the scan found no device at all');
  if (addresses.includes(address)) throw new Error(addresses.join());
};

const COUNT = 10;

/** The adapters of the kernel other than hci0 and hci1. @throws unless there are `count`. */
const adaptersOf = async (guest: Guest, count: number): Promise<readonly string[]> => {
  const adapters = (await guest.succeeds('ls /sys/class/bluetooth'))
    .split(/\s+/)
    .filter((name) => /^hci\d+$/.test(name) && !['hci0', 'hci1'].includes(name))
    .sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)));
  if (adapters.length !== count) throw new Error(`the kernel has ${adapters.join(', ') || 'none'}`);
  return adapters;
};

/** Connects all adapters at once, each with another die. */
const connectAll = async (guest: Guest, adapters: readonly string[]): Promise<void> => {
  const jobs = adapters.map((name, index) => {
    const die = `D1:CE:00:00:00:${(index + 1).toString(16).toUpperCase().padStart(2, '0')}`;
    const connects = `timeout 60 gatttool -i ${name} -b ${die} -t random --primary | grep -q ${NUS}`;
    return `(hciconfig ${name} up && ${connects} && echo "${name} has a die") &`;
  });
  const output = await guest.succeeds(`${jobs.join(' ')} wait`, /(?:)/, START_LIMIT);
  const missing = adapters.filter((name) => !output.includes(`${name} has a die`));
  if (missing.length > 0) throw new Error(`${missing.join(', ')} did not find ${NUS}:\n${output}`);
};

/** Adapters of the guest's kernel whose controllers are on a radio in the guest, or on the radio outside. */
export const proveVhci = async (setup: Setup): Promise<void> => {
  const { guest, report, air, hci } = setup;
  const control = airInGuest(setup);
  let radio: Program | undefined;
  const isLeft = 'ls /sys/class/bluetooth | grep -qv "hci[01]\\b"';
  await report.checks({
    [`airbench air --vhci ${COUNT} makes ${COUNT} adapters of the kernel`]: async () => {
      await guest.succeeds('modprobe hci_vhci');
      radio = await guest.serves(`air --vhci ${COUNT} --dice ${COUNT} --clocks 0 ${CONTROL}`);
      await adaptersOf(guest, COUNT);
    },
    'all of them connect at once, each a die': async () => connectAll(guest, await adaptersOf(guest, COUNT)),
    'an adapter that was powered off and on again connects a die': async () => {
      await control.post('/adapters/hci0', { powered: false });
      await control.post('/adapters/hci0', { powered: true });
      await connectAll(guest, (await adaptersOf(guest, COUNT)).slice(0, 1));
    },
    'an adapter that the control API unplugs is gone from the kernel, and no other': async () => {
      const before = await adaptersOf(guest, COUNT);
      await control.send('DELETE', '/adapters/hci3');
      const after = await adaptersOf(guest, COUNT - 1);
      const removed = before.filter((name) => !after.includes(name));
      if (removed.join() !== before[3]) throw new Error(`${removed.join()} is gone`);
    },
    'it ends in order, and its adapters are gone': async () => {
      await radio?.stop();
      await adaptersOf(guest, 0);
    },
    'airbench vhci makes an adapter of the kernel on the radio outside, which connects a die there':
      async () => {
        await air.populate();
        await guest.serves(`vhci --hci ${hci.replace('127.0.0.1', '10.0.2.2')}`);
        await connectAll(guest, await adaptersOf(guest, 1));
      },
    'it leaves no adapter after a kill': async () => {
      await guest.succeeds(`pkill -KILL -f '[a]irbench.js vhci'`);
      await guest.succeeds(`timeout 5 sh -c 'while ${isLeft}; do sleep 0.1; done'`);
      await adaptersOf(guest, 0);
    },
  });
};

/** Adapters for one program alone: of the guest's second serial line, and of the replay. */
const [RECORDED, REPLAYED] = ['hci1', 'hci2'];

/** Records a virtual die on an adapter of the guest, and its replay on an adapter of the replay. */
export const proveRecord = async ({ guest, report, air }: Setup): Promise<void> => {
  const record = async (adapter: string, file: string): Promise<string> => {
    const command = `${IN_GUEST} record ${DIE} ${file} --hci user:${adapter} --scan-secs 2 --secs 1`;
    return (await guest.succeeds(command, /(?:)/, START_LIMIT)).replace(file, 'FILE');
  };
  await air.populate();
  await guest.succeeds(`hciconfig ${RECORDED} down`);
  let recorded = '';
  await report.checks({
    [`airbench record captures a die on ${RECORDED}`]: async () => {
      recorded = await record(RECORDED, '/run/die.btsnoop');
      if (!recorded.includes('FILE  characteristics 5  subscribed 2')) throw new Error(recorded);
    },
    'airbench replay --vhci of that is equal to it, recorded on the adapter that it makes': async () => {
      await guest.succeeds('modprobe hci_vhci');
      const replay = await guest.serves('replay /run/die.btsnoop --vhci');
      const again = await record(REPLAYED, '/run/again.btsnoop');
      await replay.stop();
      if (again !== recorded) throw new Error(`${recorded}\nis not\n${again}`);
    },
  });
};
