/** Servers on BlueZ, as an ordinary user under Debian's policy of the bus, beside a bluetoothd that manages both adapters. */
import { CLOCK, DIE, DiceServer } from '../clients.js';
import { runFeatures } from '../features.js';
import { GUEST_PORTS, type Guest, type Setup } from '../guest.js';
import type { Program } from '../program.js';
import { bindsClock } from './adapters.js';
import { isReady, LIMITS, rolls } from './servers.js';
import { FROM_THE_DIE } from './tools.js';

/** The user `nobody`, without groups. */
const NOBODY = 'setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp';

/** Debian's files, in the guest's system. */
const DEBIAN = '/run/airbench';
const BUS = `${DEBIAN}/usr/share/dbus-1/system.conf`;
const BLUETOOTHD = `${DEBIAN}/etc/bluetooth/main.conf`;
const POLICY = 'etc/dbus-1/system.d/bluetooth.conf';

/** The rule for users without a group, as a command of sed. */
const WITHOUT_DEFAULT = `'/<policy context="default">/,/<.policy>/d'`;

/** The bus and bluetoothd of the guest. */
class Bluez {
  private bus: Program | undefined;
  private daemon: Program | undefined;

  constructor(private readonly guest: Guest) {}

  /** Starts the bus and bluetoothd; `edit` is a script of sed for the policy of BlueZ. */
  async start(edit = "''"): Promise<void> {
    const { guest } = this;
    await guest.succeeds(`mkdir -p /etc/dbus-1/system.d && sed ${edit} ${DEBIAN}/${POLICY} >/${POLICY}`);
    this.bus = guest.start(`/run/tools/dbus-daemon --config-file=${BUS} --nofork --nopidfile --nosyslog`);
    const asked = 'dbus-send --system --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus';
    await guest.succeeds(`until ${asked} org.freedesktop.DBus.GetId; do sleep 0.1; done`);
    await this.startDaemon();
  }

  async startDaemon(): Promise<void> {
    this.daemon = await this.guest.bluetoothd(BLUETOOTHD);
  }

  async stopDaemon(): Promise<void> {
    await this.daemon?.stop();
  }

  async killDaemon(): Promise<void> {
    // With the brackets, the pattern does not match this command.
    await this.guest.succeeds(`pkill -KILL -f '[b]luetoothd --nodetach'`);
    await this.daemon?.ended;
  }

  /** bluetoothd ends with the bus. */
  async stop(): Promise<void> {
    await this.bus?.end('SIGTERM');
    await this.daemon?.ended;
  }
}

/** Ends the guest's own bus, which lets everybody do everything; Debian's needs a user. */
const PREPARATION =
  'kill $(pidof dbus-daemon); ' +
  'grep -q ^messagebus: /etc/passwd || echo messagebus:x:100:65534::/:/bin/false >>/etc/passwd';

/** Runs `prove` on BlueZ, with a die and a clock on the air. */
const onBluez =
  (prove: (setup: Setup, bluez: Bluez) => Promise<void>) =>
  async (setup: Setup): Promise<void> => {
    const { guest, report, air } = setup;
    const bluez = new Bluez(guest);
    await air.populate();
    const started = await report.check(
      'bluetoothd manages both adapters, under the bus policy of Debian',
      async () => {
        await guest.succeeds(PREPARATION);
        await bluez.start();
      },
    );
    if (started) await prove(setup, bluez);
    await bluez.stop();
  };

const MEMORY = '--data-dir /dev/shm/nobody';

/**
 * BlueZ reports one packet of a device after each start of discovery, so that a scan of 1 s may miss the readings of a clock, which
 * are in every other packet.
 */
const TAGS = '@kernel and not @every-packet';

/** Both servers pass the features from outside. */
export const proveBluezFeatures = onBluez(async ({ guest, report, air, ports, signal }) => {
  const urls = { dice: `http://127.0.0.1:${ports.dice}`, clock: `http://127.0.0.1:${ports.clock}` };
  const servers: Program[] = [];
  const started = await report.checks({
    'the dice server runs on hci0 by BlueZ, without rights': async () => {
      const flags = `${LIMITS} ${MEMORY} --scan-secs 2 --calibrate-timeout 2`;
      servers.push(await guest.serves(`dice --bluez hci0 ${flags}`, NOBODY));
      await isReady(urls.dice);
    },
    'the clock server runs on hci1 by BlueZ, without rights': async () => {
      servers.push(
        await guest.serves(`clock --bluez hci1 ${LIMITS} ${MEMORY} --port ${GUEST_PORTS.clock}`, NOBODY),
      );
      await isReady(urls.clock);
    },
  });
  if (!started) return;
  await runFeatures(report, { ...urls, control: air.url }, signal, { radio: 'by BlueZ: ', tags: TAGS });
  await report.check('both servers on BlueZ end in order', async () => {
    for (const server of servers) await server.stop();
  });
});

const FLAGS = `--bluez hci0 ${MEMORY} --scan-secs 2 --connect-timeout 10`;

/** What happens to BlueZ while a server has a die. */
export const proveBluez = onBluez(async (setup, bluez) => {
  const { guest, report, air, ports } = setup;
  const server = new DiceServer(`http://127.0.0.1:${ports.dice}`);
  let program: Program | undefined;
  /** Ends the radio and brings it back: the server says so, and connects the die again by itself. */
  const survives = (off: () => unknown, on: () => unknown, message: string) => async (): Promise<void> => {
    await server.sees({ kind: 'Reconnected' }, async () => {
      await off();
      await server.becomes('poweredOff');
      await program?.says(new RegExp(message));
      await on();
      await server.becomes('poweredOn');
    });
    await rolls(server, air);
  };
  await report.checks({
    'without a flag a server that may share hci0 uses it by BlueZ, and names the flag for sharing it':
      async () => {
        const chosen = await guest.serves('dice');
        await chosen.stop();
        if (!/hci0 is up: BlueZ uses it .* --hci hci0/.test(chosen.stderr)) throw new Error(chosen.stderr);
      },
    'by BlueZ the dice server connects a die': async () => {
      program = await guest.serves(`dice ${FLAGS}`, NOBODY);
      await server.becomes('poweredOn');
      await server.connects(DIE);
      await rolls(server, air);
    },
    'by BlueZ a clock server uses the same adapter at the same time': async () => {
      const clock = await guest.serves(`clock ${FLAGS} --port ${GUEST_PORTS.clock}`, NOBODY);
      await bindsClock(`http://127.0.0.1:${ports.clock}`, CLOCK);
      await rolls(server, air);
      await clock.stop();
      await rolls(server, air);
    },
    'by BlueZ it notices that the adapter is off, and connects the die again when it is on': survives(
      () => guest.succeeds('timeout 10 btmgmt --index 0 power off'),
      () => guest.succeeds('timeout 10 btmgmt --index 0 power on'),
      'hci0 is off: run `bluetoothctl power on`',
    ),
    'by BlueZ it notices that bluetoothd is stopped, and connects the die again when it is started': survives(
      () => bluez.stopDaemon(),
      () => bluez.startDaemon(),
      'bluetoothd does not run',
    ),
    'by BlueZ it notices that bluetoothd is killed, and connects the die again when it is started': survives(
      () => bluez.killDaemon(),
      () => bluez.startDaemon(),
      'bluetoothd does not run',
    ),
    'by BlueZ it notices the end of the bus, and connects the die again when it is started': survives(
      () => bluez.stop(),
      () => bluez.start(),
      'the system bus of D-Bus, over which BlueZ is used, cannot be reached',
    ),
    'by BlueZ it notices that the adapter is unplugged, and connects the die again when it is plugged in':
      survives(
        () => guest.unplug(0),
        () => guest.plug(0),
        'is gone: plug it in again',
      ),
    'by BlueZ it counts each roll once though another program listens to the die later': () =>
      countsEachRollOnce(setup, server),
    'by BlueZ it refuses a die that another program listens to, which keeps its link': () =>
      refusesTheDieOfOthers(setup, server),
    'by BlueZ it is unauthorized if the policy of the bus is for a group alone, and says the remedy':
      async () => {
        await bluez.stop();
        await bluez.start(WITHOUT_DEFAULT);
        await server.becomes('unauthorized');
        await program?.says(/sudo usermod -aG bluetooth/);
        await guest.refuses(`clock ${FLAGS} --port 0`, 'sudo usermod -aG bluetooth', NOBODY);
      },
    'by BlueZ it ends in order': () => program?.stop(),
  });
});

/** Another program subscribes to the die of the server: BlueZ gives each notification to each subscriber twice. */
const countsEachRollOnce = async ({ guest, air }: Setup, server: DiceServer): Promise<void> => {
  /** The number of events of two rolls. */
  const events = async (): Promise<number> => {
    const before = await server.newestEvent();
    for (let roll = 0; roll < 2; roll++) await rolls(server, air);
    return (await server.newestEvent()) - before;
  };
  const alone = await events();
  await guest.converse('bluetoothctl', async (shell) => {
    await shell.says(/Agent registered/);
    await shell.talks(
      [`select ${await guest.addressOf('hci0')}`],
      [`connect ${DIE}`, /Connection successful/],
      ['menu gatt'],
      [`select-attribute ${FROM_THE_DIE}`],
      ['notify on', /Notify started/],
    );
    const together = await events();
    if (together !== alone) throw new Error(`${together} events instead of ${alone}`);
    await shell.talks(['notify off', /Notify stopped/]);
  });
  await rolls(server, air);
};

/** Another program has subscribed to the die: BlueZ would give each notification to each subscriber twice. */
const refusesTheDieOfOthers = async ({ guest, air }: Setup, server: DiceServer): Promise<void> => {
  await server.disconnects();
  await guest.converse('bluetoothctl', async (shell) => {
    await shell.says(/Agent registered/);
    await shell.talks(
      [`select ${await guest.addressOf('hci0')}`],
      ['scan le', new RegExp(`Device ${DIE}`)],
      ['scan off', /Discovery stopped/],
      [`connect ${DIE}`, /ServicesResolved: yes/],
      ['menu gatt'],
      [`select-attribute ${FROM_THE_DIE}`],
      ['notify on', /Notify started/],
    );
    await server.scan();
    const answer = await server.connects(DIE).then(() => 'a session', String);
    if (!answer.includes('another program on this machine, such as')) throw new Error(answer);
    await shell.talks(
      ['notify off', /Notify stopped/],
      ['back'],
      [`disconnect ${DIE}`, /Successful disconnected/],
    );
  });
  await server.connects(DIE);
  await rolls(server, air);
};
