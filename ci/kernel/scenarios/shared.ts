import { DIE } from '../air.js';
import type { Setup } from '../setup.js';
import { seeksInVain, serverAt } from './dice-client.js';
import { powerOn } from './power.js';

/** A server under emulation is slow to start. */
const START_LIMIT = 120_000;

/** Longer than the kernel lets a link be that no socket holds, 2 s (HCI_DISCONN_TIMEOUT), seconds. */
const HELD_SECS = 6;

const LIMITS = '--scan-secs 2 --connect-timeout 10 --verbose 2';

/** The dice server shares hci0 with the kernel, as it does by itself where all adapters are up. */
export const proveShared = async (setup: Setup): Promise<void> => {
  const { guest, report, air, ports } = setup;
  const server = serverAt(`127.0.0.1:${ports.dice}`);
  const rolls = async (): Promise<void> => {
    const events = await server.listen();
    await air.act(DIE, { type: 'roll', die: 'd6', face: 4 });
    await events.until(({ kind, face }) => kind === 'Stable' && face === 4);
    events.end();
  };
  await air.populate();
  for (const index of [0, 1]) await powerOn(guest, index);
  const started = await report.check(
    'without --hci the dice server shares hci0, which is up, and says what to do about it',
    async () => {
      await guest.succeeds(`serve.sh dice ${LIMITS}`, START_LIMIT);
      await server.becomes('poweredOn');
      await guest.succeeds("grep 'hci0 is shared.*sudo hciconfig hci0 down' /run/dice.log");
    },
  );
  if (!started) return;
  await report.check(
    'on a shared hci0 it keeps a die longer than the kernel keeps a link that no socket holds',
    async () => {
      await server.connects(DIE);
      await guest.succeeds(`sleep ${HELD_SECS}`);
      await rolls();
      const { connected } = await server.status();
      if (connected !== true) throw new Error('the link is lost');
    },
  );
  await report.check('on a shared hci0 it keeps the die as long when it is connected again', async () => {
    await server.disconnects();
    await server.connects(DIE);
    await guest.succeeds(`sleep ${HELD_SECS}`);
    await rolls();
    await server.disconnects();
  });
  await report.check(
    'on a shared hci0 it responds to others while it searches for a die out of range, until its own limit',
    () => seeksInVain(server, air, { command: 'LE Extended Create Connection', limit: 10_000 }),
  );
  await report.check('on a shared hci0 it connects the die once it is in range again', async () => {
    await server.connects(DIE);
    await rolls();
  });
  await report.check('on a shared hci0 it ends in order', async () => {
    await guest.succeeds('stop.sh dice', START_LIMIT);
  });
};
