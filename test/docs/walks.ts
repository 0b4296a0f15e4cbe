/** Walks through the pages, like a reader's. All walks that do not start a rig share one rig, whose radio is their adapter. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it, type Context } from 'mocha';
import { version } from '../../src/system/package.js';
import { readPage, sectionIn } from '../support/documents.js';
import { newFolder } from '../support/folders.js';
import { freePort } from '../../features/support/loopback.js';
import { startMosquitto } from '../support/mqtt.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import {
  requireGuest,
  requirePackages,
  requireProgram,
  requirePython,
  requireUnix,
} from '../support/require.js';
import { placesOf, Walk, type WalkOptions } from '../support/walk.js';
import { GENERATORS } from '../support/walk-programs.js';

type Prepare = (test: Context) => WalkOptions | Promise<WalkOptions>;

const inTheClone: Prepare = () => ({ folder: process.cwd() });

/** Tokens are in the folder of the walk instead of /etc. */
const withOpenssl: Prepare = (test) => {
  requireProgram(test, 'openssl');
  return { places: { '/etc/airbench/': '' } };
};

/** A broker, whose port the clients of Mosquitto read from their configuration files. */
const withBroker: Prepare = async (test) => {
  requireProgram(test, 'mosquitto_pub');
  const { port } = await startMosquitto(test);
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  for (const client of ['mosquitto_sub', 'mosquitto_pub', 'mosquitto_rr'])
    writeFileSync(join(folder, client), `-h 127.0.0.1\n-p ${port}\n`);
  return {
    env: { XDG_CONFIG_HOME: folder },
    places: Object.fromEntries(
      ['mqtt://localhost', 'mqtt://broker.example'].map((url) => [url, `mqtt://127.0.0.1:${port}`]),
    ),
  };
};

/** The Python that has the package, for instance Debian's, whatever is first on the PATH. */
const withPython: Prepare = (test) => ({
  folder: process.cwd(),
  places: { 'python3 docs/': `${requirePython(test, 'websockets')} docs/` },
});

/** The generator of clients is among the packages that `npm run packages` installs. */
const withGenerators: Prepare = (test) => {
  requirePackages(test, GENERATORS);
  return {};
};

/** The ports of the example, which runs in the clone. */
const withFreePorts = async (): Promise<WalkOptions> => {
  const [hci, control] = [await freePort(), await freePort()];
  return {
    folder: process.cwd(),
    places: {
      'main.js': `main.js ${hci} ${control}`,
      '127.0.0.1:6402': `127.0.0.1:${hci}`,
      '127.0.0.1:3100': `127.0.0.1:${control}`,
      'localhost:3100': `127.0.0.1:${control}`,
    },
  };
};

/** No port is open to the network. */
const onLoopback: Prepare = () => ({ places: { '0.0.0.0': '127.0.0.1' } });

/** A shorter recording. */
const briefly: Prepare = () => ({ places: { '--secs 60': '--secs 1' } });

/** A copy of the example and the packed airbench in an empty folder. */
const withStrap: Prepare = async () => {
  const folder = newFolder();
  cpSync('docs/examples/heart-rate-strap', join(folder, 'heart-rate-strap'), { recursive: true });
  writeFileSync(join(folder, `airbench-${version}.tgz`), '');
  return { ...(await withFreePorts()), folder };
};

/** A guest has its own radio. */
const guestInTheClone: Prepare = (test) => {
  requireGuest(test, ['--packages', 'python3-bleak']);
  return { folder: process.cwd(), env: { AIRBENCH_HCI: undefined } };
};

/** The scripts of the lab, in an empty folder. */
const withGuest: Prepare = async (test) => {
  const options = await guestInTheClone(test);
  const folder = newFolder();
  cpSync('docs/lab', folder, { recursive: true });
  return { ...options, folder };
};

/** A section of a page for a walk, and the preparation of the walk. */
type Row = readonly [page: string, heading: string, prepare?: Prepare];

export const QUICK: readonly Row[] = [
  ['docs/control-api.md', '## Devices'],
  ['docs/control-api.md', '## Actions'],
  ['docs/control-api.md', '## Behaviour'],
  ['docs/control-api.md', '## The air'],
  ['docs/control-api.md', '## Faults'],
  ['docs/control-api.md', '## Chaos', inTheClone],
  ['docs/control-api.md', '## Adapters'],
  ['docs/control-api.md', '## Proxies'],
  ['docs/control-api.md', '## Violations'],
  ['docs/control-api.md', '## Trace'],
  ['docs/control-api.md', '## Reset'],
  ['docs/dice-api.md', '### Simulated dice'],
  ['README.md', '## Try it'],
  ['README.md', '## Start'],
  ['docs/clients.md', '## A first walk with a die', inTheClone],
  ['docs/clients.md', '## A first walk with a clock', inTheClone],
  ['README.md', '## Home Assistant', withBroker],
  ['README.md', '## Installed elsewhere'],
  ['docs/replay.md', '# Replay'],
  ['docs/lab/record.md', '# Recording a device', briefly],
  ['docs/production.md', '## Access', withOpenssl],
  ['docs/production.md', '## Browsers'],
  ['docs/production.md', '## Behind a proxy'],
  ['docs/production.md', '## Configuration file'],
  ['docs/production.md', '## Logs'],
  ['docs/clients.md', '## Python', withPython],
  ['docs/features.md', '## Running a part', inTheClone],
  ['docs/radio.md', '## Sockets and H4', onLoopback],
  ['docs/fleet.md', '## Seeing it', withBroker],
  ['docs/fleet.md', '## A walk', withBroker],
  ['docs/extending.md', '### In this repository', withFreePorts],
];

/** Walks that compile TypeScript. */
export const COMPILED: readonly Row[] = [
  ['docs/api-docs.md', '## A client', withGenerators],
  ['docs/extending.md', '### In a folder of its own', withStrap],
];

/** Walks in a Linux guest. */
export const IN_A_GUEST: readonly Row[] = [
  ['docs/lab/linux.md', '# Any program on the virtual radio', withGuest],
  ['docs/lab/bluetoothctl.md', '# bluetoothctl', withGuest],
  ['docs/lab/bleak.md', '# Python with bleak', withGuest],
  ['docs/lab/devices.md', '# The example devices, by bleak', guestInTheClone],
];

const endSessions = async (dice: string): Promise<void> => {
  const sessions = (await (await fetch(`${dice}/api/sessions`)).json()) as readonly object[];
  for (const session of sessions)
    await fetch(`${dice}/api/disconnect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(session),
    });
};

export const describeWalks = (title: string, rows: readonly Row[]) =>
  describe(title, () => {
    let rigAt: Readonly<Record<string, string>>;
    let radio: string;
    let walk: Walk | undefined;

    before(async function () {
      requireUnix(this, 'shell scripts');
      requireProgram(this, 'bash');
      requireProgram(this, 'curl');
      const rig = Program.rig(['--scan-secs', '1']);
      const urls: [string, string][] = [];
      for (const name of ['dice server', 'clock server', 'control API'])
        urls.push(...placesOf(name, await rig.url(name)));
      rigAt = Object.fromEntries(urls);
      radio = await rig.url('virtual radio');
    });

    beforeEach(async () => {
      await fetch(`http://${rigAt['localhost:3100'] ?? ''}/reset`, { method: 'POST' });
    });

    afterEach(async () => {
      await walk?.end();
      await endSessions(`http://${rigAt['localhost:3000'] ?? ''}`);
    });
    after(endPrograms);

    for (const [page, heading, prepare] of rows) {
      it(`show the real output: ${page}, ${heading.replace(/^#+ /, '')}`, async function () {
        const options = (await prepare?.(this)) ?? {};
        const env = { AIRBENCH_HCI: radio, ...options.env };
        walk = new Walk({ ...options, env, places: { ...rigAt, ...options.places } });
        await walk.through(sectionIn(readPage(page), heading));
      });
    }
  });
