/** Servers on adapters of the kernel, shared with the kernel or for the server alone. */
import { DIE, DiceServer, type Air } from '../clients.js';
import { runFeatures } from '../features.js';
import { START_LIMIT, type Program } from '../program.js';
import { GUEST_PORTS, type Setup } from '../guest.js';

export const LIMITS = '--connect-timeout 6 --discover-timeout 6 --gatt-timeout 4 --answer-timeout 3';

export const isReady = async (url: string): Promise<void> => {
  const { status } = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(START_LIMIT) });
  if (status !== 200) throw new Error(`${url}/ready answers ${status}`);
};

/**
 * The servers run in the guest, each on an adapter of its kernel, and pass the features from outside. Checks the flags of
 * a server that features cannot check: its address without and with flags, and its verbosity.
 */
export const proveServers = async ({ guest, report, air, ports, signal }: Setup): Promise<void> => {
  const urls = { dice: `http://127.0.0.1:${ports.dice}`, clock: `http://127.0.0.1:${ports.clock}` };
  let [dice, clock]: readonly (Program | undefined)[] = [];
  for (const index of [0, 1]) await guest.powerOn(index);
  const started = await report.checks({
    '@D-listens: without flags the dice server on hci0 is reached at the guest’s address, port 3000':
      async () => {
        dice = await guest.serves(`dice --hci hci0 ${LIMITS} --scan-secs 1 --calibrate-timeout 2`);
        await isReady(urls.dice);
      },
    '@C-flag-address @C-flag-port: the clock server on hci1 is reached where its flags say': async () => {
      const place = `--address 10.0.2.15 --port ${GUEST_PORTS.clock}`;
      clock = await guest.serves(`clock --hci hci1 ${place} --verbose 2 ${LIMITS}`);
      await isReady(urls.clock);
    },
    '@C-flag-verbose: at the given verbosity, it logs that request': () => clock?.says(/\/ready/),
  });
  if (!started) return;
  await runFeatures(report, { ...urls, control: air.url }, signal);
  await report.check('the dice server ends in order', () => dice?.stop());
  await report.check('the clock server ends in order', () => clock?.stop());
};

/** Checks that a roll of the connected die reaches the clients of a server. */
export const rolls = (server: DiceServer, air: Air): Promise<void> =>
  server.sees({ kind: 'Stable', face: 4 }, () => air.act(DIE, { type: 'roll', die: 'd6', face: 4 }));

/** More seconds than the 2 s after which the kernel ends a link without a socket (HCI_DISCONN_TIMEOUT). */
const HELD_SECS = 6;

const FLAGS = '--scan-secs 2 --connect-timeout 10 --verbose 2';
/** Milliseconds: `--connect-timeout` of these servers. */
const CONNECT_LIMIT = 10_000;

/** The dice server shares hci0 with the kernel. */
export const proveShared = async ({ guest, report, air, ports }: Setup): Promise<void> => {
  const server = new DiceServer(`http://127.0.0.1:${ports.dice}`);
  let program: Program | undefined;
  await air.populate();
  for (const index of [0, 1]) await guest.powerOn(index);
  const isHeld = async (): Promise<void> => {
    await server.connects(DIE);
    await guest.succeeds(`sleep ${HELD_SECS}`);
    await rolls(server, air);
  };
  await report.checks({
    'on hci0, which is up, the dice server shares it, and logs how to change this': async () => {
      program = await guest.serves(`dice --hci hci0 ${FLAGS}`);
      await server.becomes('poweredOn');
      if (!/hci0 is shared.*sudo hciconfig hci0 down/.test(program.stderr)) throw new Error(program.stderr);
    },
    'on a shared hci0 it keeps a die longer than the kernel keeps a link that no socket holds': async () => {
      await isHeld();
      await server.isConnected();
    },
    'on a shared hci0 it keeps the die as long when it is connected again': async () => {
      await server.disconnects();
      await isHeld();
      await server.disconnects();
    },
    'on a shared hci0 it responds to others while it searches for a die out of range, until its own limit':
      () => server.seeksInVain(air, 'LE Extended Create Connection', CONNECT_LIMIT),
    'on a shared hci0 it connects the die once it is in range again': async () => {
      await server.connects(DIE);
      await rolls(server, air);
    },
    'on a shared hci0 it ends in order': () => program?.stop(),
  });
};

/** The dice server has hci0 to itself, by the kernel's HCI user channel. */
export const proveUserChannel = async ({ guest, report, air, ports }: Setup): Promise<void> => {
  const server = new DiceServer(`http://127.0.0.1:${ports.dice}`);
  const command = `dice --hci user:hci0 ${FLAGS}`;
  let program: Program | undefined;
  await air.populate();
  await guest.powerOn(0);
  await report.checks({
    'on user:hci0 the dice server does not start while hci0 is up, and says the fix': () =>
      guest.refuses(command, 'sudo hciconfig hci0 down'),
    'on user:hci0 it starts once hci0 is down': async () => {
      await guest.succeeds('hciconfig hci0 down');
      program = await guest.serves(command);
      await server.becomes('poweredOn');
    },
    'on user:hci0 it connects the die and reports its roll': async () => {
      await server.connects(DIE);
      await rolls(server, air);
    },
    'on user:hci0 a server that should share hci0 names the reason': async () => {
      await guest.refuses('clock --hci hci0 --port 0', 'another program has it to itself');
      await server.isConnected();
      await server.disconnects();
    },
    'on user:hci0 it responds to others while it searches for a die out of range, until its own limit': () =>
      server.seeksInVain(air, 'LE Create Connection', CONNECT_LIMIT),
    'on user:hci0 it notices that the adapter is gone, and takes it when it is back': async () => {
      await guest.unplug(0);
      await server.becomes('poweredOff');
      guest.plug(0);
      await server.becomes('poweredOn');
      await server.connects(DIE);
    },
    'on user:hci0 it ends in order, and leaves the adapter to the kernel': async () => {
      await program?.stop();
      await guest.powerOn(0);
    },
    'without --hci the dice server has hci0 to itself, which is down': async () => {
      await guest.succeeds('hciconfig hci0 down');
      const alone = await guest.serves('dice');
      await server.becomes('poweredOn');
      await alone.stop();
      if (alone.stderr.includes('is shared')) throw new Error(alone.stderr);
      await guest.succeeds('hciconfig hci0', /DOWN/);
      await guest.powerOn(0);
    },
  });
};
