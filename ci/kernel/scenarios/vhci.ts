import { ask } from '../air.js';
import type { Guest } from '../guest.js';
import { GUEST_PORTS, type Setup } from '../setup.js';

/** Milliseconds: a program under emulation is slow to start and to end. */
const START_LIMIT = 120_000;

const COUNT = 10;

/** Those that the guest has of its serial lines. */
const OTHERS = ['hci0', 'hci1'];

/** The service of a die (docs/godice-protocol.md §2). */
const NUS_SERVICE = '6e400001-b5a3-f393-e0a9-e50e24dcca9e';

const adaptersOf = async (guest: Guest): Promise<readonly string[]> =>
  (await guest.succeeds('ls /sys/class/bluetooth')).output
    .split(/\s+/)
    .filter((name) => /^hci\d+$/.test(name) && !OTHERS.includes(name))
    .sort((one, other) => Number(one.slice(3)) - Number(other.slice(3)));

const expectAdapters = async (guest: Guest, count: number): Promise<readonly string[]> => {
  const adapters = await adaptersOf(guest);
  if (adapters.length !== count) throw new Error(`the kernel has ${adapters.join(', ') || 'none'}`);
  return adapters;
};

/** All at once, each adapter with a die of its own. */
const connectAll = async (guest: Guest, adapters: readonly string[]): Promise<void> => {
  const jobs = adapters.map((name, index) => {
    const die = `D1:CE:00:00:00:${(index + 1).toString(16).toUpperCase().padStart(2, '0')}`;
    const found = `timeout 60 gatttool -i ${name} -b ${die} -t random --primary | grep -q ${NUS_SERVICE}`;
    return `(hciconfig ${name} up && ${found} && echo "${name} has a die") &`;
  });
  const { output } = await guest.succeeds(`${jobs.join(' ')} wait`, START_LIMIT);
  const missing = adapters.filter((name) => !output.includes(`${name} has a die`));
  if (missing.length > 0) throw new Error(`${missing.join(', ')} did not find ${NUS_SERVICE}:\n${output}`);
};

/** Adapters of the guest's kernel whose controllers are on a radio in the guest, and on the one outside. */
export const proveVhci = async ({ guest, report, air, ports }: Setup): Promise<void> => {
  const control = `http://127.0.0.1:${ports.control}`;
  const started = await report.check(
    `airbench air --vhci ${COUNT} makes ${COUNT} adapters of the kernel`,
    async () => {
      await guest.succeeds('modprobe hci_vhci');
      await guest.succeeds(
        `serve.sh air --vhci ${COUNT} --dice ${COUNT} --clocks 0 --control-address 10.0.2.15 --control-port ${GUEST_PORTS.control}`,
        START_LIMIT,
      );
      await expectAdapters(guest, COUNT);
    },
  );
  if (!started) return;
  await report.check('all of them connect at once, each a die', async () => {
    await connectAll(guest, await adaptersOf(guest));
  });
  await report.check('one that has lost its power and has it again connects a die', async () => {
    await ask('POST', `${control}/adapters/hci0`, { powered: false });
    await ask('POST', `${control}/adapters/hci0`, { powered: true });
    await connectAll(guest, (await adaptersOf(guest)).slice(0, 1));
  });
  await report.check(
    'one that is unplugged by the control API is gone from the kernel, and no other',
    async () => {
      const before = await expectAdapters(guest, COUNT);
      await ask('DELETE', `${control}/adapters/hci3`);
      const left = await expectAdapters(guest, COUNT - 1);
      const gone = before.filter((name) => !left.includes(name));
      if (gone.join() !== before[3]) throw new Error(`${gone.join()} is gone`);
    },
  );
  await report.check('it ends in order, and none of its adapters is left', async () => {
    await guest.succeeds('stop.sh air', START_LIMIT);
    await expectAdapters(guest, 0);
  });
  await air.populate();
  await report.check(
    'airbench vhci makes an adapter of the kernel on the radio outside, which connects a die there',
    async () => {
      await guest.succeeds(`serve.sh vhci --hci tcp:10.0.2.2:${air.hciPort}`, START_LIMIT);
      await connectAll(guest, await expectAdapters(guest, 1));
    },
  );
  await report.check('killed, it leaves no adapter', async () => {
    await guest.succeeds(
      'kill -KILL $(cat /run/vhci.pid); for _ in $(seq 50); do ls /sys/class/bluetooth | grep -qv "hci[01]\\b" || break; sleep 0.1; done',
    );
    await expectAdapters(guest, 0);
  });
};
