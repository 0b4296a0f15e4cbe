/** `airbench install-service`: a server as a service of systemd, with a sample of its configuration. */
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Argument, Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { readBytes, FILE_VERSION } from '../../system/files.js';
import { packageFile } from '../../system/package.js';
import { systemReason } from '../../system/system-error.js';
import { clockCommand } from '../servers/clock.js';
import { applyConfig } from '../options/config-file.js';
import { diceCommand } from '../servers/dice.js';
import {
  bluezFlag,
  flag,
  grouped,
  hciFlag,
  optionalTextFlag,
  switchFlag,
  textFlag,
} from '../options/options.js';
import { proxyFlag } from '../options/proxies.js';
import { fail, writeLine } from '../output/log.js';
import { changeableByOthers, replaceFile, withFoldersAbove } from './own-files.js';
import { printLines } from '../output/print.js';
import { chosenRadio, radioEntries, radioLines, type RadioFlags } from './service-radio.js';
import { isUntouched, unit, unitName } from './systemd-unit.js';
import { refuse } from '../options/usage.js';

const SERVERS = { dice: diceCommand, clock: clockCommand };
type Server = keyof typeof SERVERS;

interface InstallFlags extends RadioFlags {
  /** Undefined: /etc/airbench/SERVER.yml. */
  readonly config: string | undefined;
  readonly user: string | undefined;
  readonly dir: string;
  readonly print: boolean;
  readonly force: boolean;
}

/** The ports in the sample: both servers can run at once. */
const PORTS: Readonly<Record<Server, number>> = { dice: 3000, clock: 3001 };

/** The default of a flag, or its placeholder, such as `<file>`. */
const sampleValue = ({ flags, defaultValue, defaultValueDescription, presetArg }: Option): string => {
  const fallback: unknown = defaultValue;
  const plain = typeof fallback === 'number' || typeof fallback === 'boolean' || typeof fallback === 'string';
  if (plain && defaultValueDescription === undefined) return String(fallback);
  const preset: unknown = presetArg;
  const placeholder = /<.*>/.exec(flags)?.[0] ?? (typeof preset === 'string' ? preset : '');
  return Array.isArray(fallback) ? `[${placeholder}]` : placeholder;
};

/** Every flag of a server with a comment that says what it does; only the port and the radio are set. */
const sampleConfig = (server: Server, radio: RadioFlags): string => {
  const command = SERVERS[server]();
  const set = new Map([...radioEntries(radio), ['port', String(PORTS[server])]]);
  const entries = command.options.flatMap((option) => {
    const { long = '', description } = option;
    if (long === '--config') return [];
    const name = long.slice(2);
    const value = name === 'data-dir' ? `/var/lib/${unitName(server)}` : sampleValue(option);
    return [`# ${description}`, set.has(name) ? `${name}: ${set.get(name)}` : `# ${name}: ${value}`, ''];
  });
  return [
    `# The flags of airbench ${server}, as airbench ${server} --help has them.`,
    `# To set a flag, remove the # before it; then: sudo systemctl restart ${unitName(server)}`,
    `# After a change of hci, bluez or proxy, before that: sudo npx airbench install-service ${server}, which sets the rights of the service`,
    '',
    `version: ${FILE_VERSION}`,
    '',
    ...entries,
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
};

/** Left: `PATH cannot be …: REASON`. */
const attempt = <A>(failure: string, work: () => A): E.Either<string, A> =>
  E.tryCatch(work, (thrown) => `${failure}: ${systemReason(thrown)}`);

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Left: another user than root and this one could redirect files that are written there. */
const ownFolder = (folder: string): E.Either<string, void> =>
  pipe(
    attempt(`${folder} cannot be looked at`, () => changeableByOthers(folder)),
    E.chain((changeable) =>
      changeable === undefined
        ? E.right(undefined)
        : E.left(
            `another user can change ${changeable}: nothing is written there, name a folder of your own`,
          ),
    ),
  );

/** The radio of an existing configuration, which must be valid. */
const radioIn = (server: Server, path: string): RadioFlags => {
  const command = SERVERS[server]();
  applyConfig(path, command);
  return command.opts<RadioFlags>();
};

interface Configuration {
  /** The radio that the configuration names, or will. */
  readonly radio: RadioFlags;
  /** The radio that the server takes: the one that it would choose now, if the configuration names none. */
  readonly taken: RadioFlags;
  /** Whether the file is there already. */
  readonly exists: boolean;
  /** A message about the radio; undefined: the configuration names it. */
  readonly advice: string | undefined;
}

/** The radio of the service: that of its configuration, else of the flags, else the one that a server would choose now. */
export const configurationFor = async (
  server: Server,
  path: string,
  flags: RadioFlags,
  choose = chosenRadio,
): Promise<E.Either<string, Configuration>> => {
  const exists = existsSync(path);
  const radio = exists ? radioIn(server, path) : flags;
  const [named, given] = [radioLines(radio), radioLines(flags)];
  if (given.some((line) => !named.includes(line)))
    return E.left(`${path} is there already, and is left alone: write into it ${given.join(' and ')}`);
  if (named.length > 0) return E.right({ radio, taken: radio, exists, advice: undefined });
  const chosen = await choose();
  if (E.isLeft(chosen))
    return E.right({
      ...{ radio: flags, taken: flags, exists },
      advice: `${path} names no radio: the server looks for one at each start. Now ${chosen.left}`,
    });
  const [line = ''] = radioLines(chosen.right);
  return E.right(
    exists
      ? {
          ...{ radio: flags, taken: chosen.right, exists },
          advice: `${path} names no radio: the server would take ${line} now; to keep it, write that line into the file`,
        }
      : { radio: chosen.right, taken: chosen.right, exists, advice: undefined },
  );
};

/** Writes the sample; an existing file stays. Right: a message about the outcome. */
const installConfig = (
  server: Server,
  path: string,
  { radio, exists }: Configuration,
): E.Either<string, string> => {
  if (exists) return E.right(`${path} is there already, and a server takes it`);
  if (isLink(path)) return E.left(`${path} is a link that leads nowhere`);
  const folder = dirname(path);
  const set = radioLines(radio).join(' and ');
  return pipe(
    // A missing folder is made, if the folder above it is safe.
    ownFolder(existsSync(folder) ? folder : dirname(folder)),
    E.chain(() =>
      attempt(`${path} cannot be written`, () => {
        if (!existsSync(folder)) mkdirSync(folder, { mode: 0o755 });
        writeFileSync(path, sampleConfig(server, radio), { flag: 'wx', mode: 0o644 });
        return set === ''
          ? `wrote ${path}: every flag is there, as a comment`
          : `wrote ${path} (${set}): every other flag is there, as a comment`;
      }),
    ),
  );
};

/** Whether the system's name service knows the users that systemd makes. */
const knowsMadeUsers = (): boolean =>
  !existsSync('/etc/nsswitch.conf') ||
  /^passwd:.*\bsystemd\b/m.test(readFileSync('/etc/nsswitch.conf', 'utf8'));

/** Whether this machine has a group of its own with this name. */
const hasGroup = (name: string): boolean =>
  existsSync('/etc/group') &&
  readFileSync('/etc/group', 'utf8')
    .split('\n')
    .some((line) => line.startsWith(`${name}:`));

/** Undefined if the file does not exist. */
const readText = (path: string): E.Either<string, string | undefined> =>
  existsSync(path)
    ? pipe(
        readBytes(path),
        E.bimap(
          (reason) => `${path}: ${reason}`,
          (bytes) => bytes.toString('utf8'),
        ),
      )
    : E.right(undefined);

/** The text of the existing unit, unless somebody has changed it. */
const replaceable = (path: string, force: boolean): E.Either<string, string | undefined> => {
  const folder = dirname(path);
  if (!existsSync(folder)) return E.left(`${folder} is not there: --dir names another folder`);
  return pipe(
    ownFolder(folder),
    // systemd masks a service by a link to /dev/null.
    E.chain(() => (isLink(path) ? E.right('') : readText(path))),
    E.filterOrElse(
      (existing) => existing === undefined || force || isUntouched(existing),
      () => `${path} was changed since it was written, and is left alone: --force replaces it`,
    ),
  );
};

/** Right: a message about the outcome. */
const installUnit = (path: string, text: string, existing: string | undefined): E.Either<string, string> =>
  existing === text
    ? E.right(`${path} is there already`)
    : attempt(`${path} cannot be written`, () => {
        replaceFile(path, text, {
          uid: process.geteuid?.() ?? -1,
          gid: process.getegid?.() ?? -1,
          mode: 0o644,
        });
        return `${existing === undefined ? 'wrote' : 'replaced'} ${path}`;
      });

const nextSteps = (name: string): readonly string[] => [
  'next:',
  '  sudo systemctl daemon-reload',
  `  sudo systemctl enable --now ${name}`,
  `  systemctl status ${name}      its state`,
  `  journalctl -u ${name}         its log`,
];

/** The first folder on the way to `path` that other users may not enter. */
const closedFolder = (path: string): string | undefined =>
  withFoldersAbove(dirname(path)).find((folder) => {
    const { mode } = statSync(folder, { throwIfNoEntry: false }) ?? { mode: 0o777 };
    return (mode & 0o001) === 0;
  });

/** Obstacles to the start of the service that only a person can remove. */
export const warnings = (
  user: string | undefined,
  { bluez }: RadioFlags,
  paths: readonly string[],
  knowsUser = knowsMadeUsers(),
): readonly string[] => {
  const closed =
    user === undefined ? paths.map(closedFolder).find((folder) => folder !== undefined) : undefined;
  const hidden = paths.find((path) => /^\/(?:var\/)?tmp\//.test(path));
  return [
    ...(closed === undefined
      ? []
      : [
          `the service cannot read ${closed}, which is closed to others: move its files, or name its owner by --user`,
        ]),
    ...(user !== undefined || bluez === undefined || knowsUser
      ? []
      : [
          'D-Bus does not know the user that systemd makes: `sudo apt install libnss-systemd`, or name another one by --user',
        ]),
    ...(hidden === undefined ? [] : [`the service cannot see ${hidden}: it has a /tmp of its own`]),
  ];
};

const EXAMPLES = `
Examples:
  sudo npx airbench install-service dice              /etc/systemd/system/airbench-dice.service and /etc/airbench/dice.yml
  sudo npx airbench install-service clock --user pi   as an existing user, instead of a new one
  sudo npx airbench install-service dice --proxy auto  on Bluetooth proxies; without a flag, on the radio found now
  npx airbench install-service dice --print           prints the unit, to install it in another way`;

const options = (): readonly Option[] =>
  [
    optionalTextFlag(
      '--config <file>',
      'its configuration (/etc/airbench/SERVER.yml), created if it is missing',
    ),
    flag<string | undefined>(
      '--user <name>',
      'user that runs the service; by default systemd makes a user for it',
      (input) =>
        /^[a-z_][a-z0-9_-]*$/i.test(input) ? E.right(input) : E.left('it must be the name of a user'),
      undefined,
    ),
    hciFlag('BlueZ'),
    bluezFlag(),
    proxyFlag(),
    textFlag('--dir <folder>', 'folder for the unit', '/etc/systemd/system'),
    switchFlag('--print', 'print the unit, and write nothing'),
    switchFlag('--force', 'replace a changed unit'),
  ].map(grouped('Service'));

export const installServiceCommand = (): Command => {
  const command = new Command('install-service')
    .description('install a server as a systemd service')
    .addArgument(new Argument('<server>', 'server to install').choices(Object.keys(SERVERS)))
    .addHelpText('after', EXAMPLES);
  for (const option of options()) command.addOption(option);
  return command.action(async (server: Server, flags: InstallFlags) => {
    const config = resolve(flags.config ?? `/etc/airbench/${server}.yml`);
    const program = [process.execPath, packageFile('dist/bin/airbench.js')];
    const unfit = [...program, config].find((path) => /\p{Cc}/u.test(path));
    if (unfit !== undefined)
      refuse(command, `${unfit} has control characters: no unit of systemd can name it`);
    const configuration = await configurationFor(server, config, flags);
    const text = (radio: RadioFlags): string =>
      unit({ server, program, config, user: flags.user, radio, hasGroup: hasGroup('bluetooth') });
    if (flags.print && E.isRight(configuration)) {
      process.stdout.write(text(configuration.right.radio));
      return;
    }
    const name = unitName(server);
    const path = join(flags.dir, `${name}.service`);
    const installed = pipe(
      configuration,
      E.bindTo('of'),
      E.bind('existing', () => replaceable(path, flags.force)),
      E.bind('ofConfig', ({ of }) => installConfig(server, config, of)),
      E.bind('ofUnit', ({ of, existing }) => installUnit(path, text(of.radio), existing)),
    );
    if (E.isLeft(installed)) {
      fail(installed.left);
      return;
    }
    const { of, ofUnit, ofConfig } = installed.right;
    printLines([ofConfig, ofUnit, ...nextSteps(name)]);
    const advice = of.advice === undefined ? [] : [of.advice];
    for (const warning of [...advice, ...warnings(flags.user, of.taken, [...program, config])])
      writeLine(`warning: ${warning}`);
  });
};
