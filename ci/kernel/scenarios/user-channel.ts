import { DIE } from '../air.js';
import type { Setup } from '../setup.js';
import { seeksInVain, serverAt } from './dice-client.js';
import { powerOn } from './power.js';

/** A server under emulation is slow to start. */
const START_LIMIT = 120_000;

/** The dice server has hci0 for itself, by the kernel's HCI user channel. */
export const proveUserChannel = async (setup: Setup): Promise<void> => {
  const { guest, report, air, ports } = setup;
  const server = serverAt(`127.0.0.1:${ports.dice}`);
  const serve = () =>
    guest.run('serve.sh dice --hci user:hci0 --scan-secs 2 --connect-timeout 10 --verbose 2', START_LIMIT);
  await air.populate();
  await powerOn(guest, 0);
  await report.check(
    'on user:hci0 the dice server does not start while hci0 is up, and says the fix',
    async () => {
      const { status, output } = await serve();
      if (status === 0 || !output.includes('sudo hciconfig hci0 down')) throw new Error(output);
    },
  );
  const started = await report.check('on user:hci0 it starts once hci0 is down', async () => {
    await guest.succeeds('hciconfig hci0 down');
    const { status, output } = await serve();
    if (status !== 0) throw new Error(output);
    await server.becomes('poweredOn');
  });
  if (!started) return;
  await report.check('on user:hci0 it connects the die and reports its roll', async () => {
    const events = await server.listen();
    await server.connects(DIE);
    await air.act(DIE, { type: 'roll', die: 'd6', face: 4 });
    await events.until(({ kind, face }) => kind === 'Stable' && face === 4);
    events.end();
  });
  await report.check('on user:hci0 a server that is to share hci0 says what is the matter', async () => {
    const { status, output } = await guest.run('serve.sh clock --hci hci0 --port 0', START_LIMIT);
    if (status === 0 || !output.includes('another program has it for itself')) throw new Error(output);
    const { connected } = await server.status();
    if (connected !== true) throw new Error('and the die is lost');
    await server.disconnects();
  });
  await report.check(
    'on user:hci0 it responds to others while it searches for a die out of range, until its own limit',
    () => seeksInVain(server, air, { command: 'LE Create Connection', limit: 10_000 }),
  );
  await report.check(
    'on user:hci0 it notices that the adapter is gone, and takes it when it is back',
    async () => {
      await guest.succeeds('unplug.sh hci0');
      await server.becomes('poweredOff');
      await guest.succeeds('plug.sh hci0 /dev/ttyS1');
      await server.becomes('poweredOn');
      await server.connects(DIE);
    },
  );
  await report.check('on user:hci0 it ends in order, and leaves the adapter to the kernel', async () => {
    await guest.succeeds('stop.sh dice', START_LIMIT);
    await powerOn(guest, 0);
  });
  await report.check('without --hci the dice server has hci0 for itself, which is down', async () => {
    await guest.succeeds('hciconfig hci0 down');
    await guest.succeeds('serve.sh dice', START_LIMIT);
    await server.becomes('poweredOn');
    const { output } = await guest.succeeds('stop.sh dice', START_LIMIT);
    if (output.includes('is shared')) throw new Error(output);
    const { output: state } = await guest.succeeds('hciconfig hci0');
    if (!state.includes('DOWN')) throw new Error(state);
    await powerOn(guest, 0);
  });
};
