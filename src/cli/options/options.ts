/** Flags of all kinds, each with an environment variable, and with a message for an invalid value. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { parseHciSpec, type HciSpec, type StreamSpec } from '../../ble/hci/spec.js';
import { deviceAddress } from '../../codecs/index.js';

/** The headings of options in the help. */
export type Group =
  | 'Access'
  | 'Bluetooth proxies'
  | 'Devices'
  | 'General'
  | 'Guest'
  | 'Limits'
  | 'MQTT'
  | 'Home Assistant'
  | 'Network'
  | 'Output'
  | 'Pages'
  | 'Proxy'
  | 'Radio'
  | 'Recording'
  | 'Records'
  | 'Reports'
  | 'Service'
  | 'Virtual machine';

/** Puts an option under a heading of the help, unless it has one. */
export const grouped =
  (group: Group) =>
  (option: Option): Option =>
    option.helpGroup(option.helpGroupHeading ?? `${group}:`);

/** Left: a message that describes valid values. */
export type Read<A> = (input: string, previous: A) => E.Either<string, A>;

const variable = (option: Option): string =>
  `AIRBENCH_${option
    .attributeName()
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`;

/** A flag with the value from the command line, else from the environment, else `fallback`. */
export const flag = <A>(
  flags: string,
  description: string,
  read: Read<A>,
  fallback: A,
  shown?: string,
): Option => {
  const option = new Option(flags, description).default(fallback, shown).argParser((input, previous: A) =>
    pipe(
      read(input, previous),
      E.getOrElse((message): A => {
        throw new InvalidArgumentError(message);
      }),
    ),
  );
  return option.env(variable(option));
};

/** A flag of an earlier version, without a place in the help; `instead` says what to do now. */
export const goneFlag = (flags: string, instead: string): Option =>
  flag<undefined>(
    flags,
    '',
    () => E.left(`there is no such flag any more: ${instead}`),
    undefined,
  ).hideHelp();

export interface Range {
  readonly min: number;
  readonly max: number;
}

const numberIn =
  ({ min, max }: Range, kind: string, form: RegExp) =>
  (input: string): E.Either<string, number> => {
    const value = form.test(input) ? Number(input) : NaN;
    return value >= min && value <= max ? E.right(value) : E.left(`it must be ${kind} from ${min} to ${max}`);
  };

/** Reads a whole number. */
export const readWhole = (range: Range): ((input: string) => E.Either<string, number>) =>
  numberIn(range, 'a whole number', /^\d+$/);

export const integerFlag = (
  flags: string,
  description: string,
  range: Range,
  fallback: number | undefined,
  shown?: string,
): Option => flag<number | undefined>(flags, description, readWhole(range), fallback, shown);

/** Reads seconds, possibly with a fraction. */
export const readSeconds = (range: Range): ((input: string) => E.Either<string, number>) =>
  numberIn(range, 'a number of seconds', /^\d+(?:\.\d+)?$/);

export const secondsFlag = (flags: string, description: string, range: Range, fallback: number): Option =>
  flag<number>(flags, description, readSeconds(range), fallback);

const readText = (input: string): E.Either<string, string> =>
  input === '' ? E.left('it must not be empty') : E.right(input);

export const textFlag = (flags: string, description: string, fallback: string): Option =>
  flag<string>(flags, description, readText, fallback);

/** Reads values with commas between them, and appends them to the previous values. */
const readList =
  <A>(readOne: (input: string) => E.Either<string, A>): Read<readonly A[]> =>
  (input, previous) =>
    pipe(
      input.split(','),
      E.traverseArray((item) => readOne(item.trim())),
      E.map((added): readonly A[] => [...previous, ...added]),
    );

export const isGiven = (command: Command, option: Option): boolean =>
  ['cli', 'env'].includes(command.getOptionValueSource(option.attributeName()) ?? '');

/** A repeatable flag, an empty list by default. */
export const listFlag = <A>(
  flags: string,
  description: string,
  readOne: (input: string) => E.Either<string, A>,
): Option => flag<readonly A[]>(flags, description, readList(readOne), [], 'none');

export const optionalTextFlag = (flags: string, description: string): Option =>
  flag<string | undefined>(flags, description, readText, undefined);

export const readAddress = (input: string): E.Either<string, string> =>
  pipe(
    deviceAddress.decode(input),
    E.mapLeft(() => `it must be ${deviceAddress.name}`),
  );

/** Shows the values of an option in the help and in completion; its parser refuses others. */
export const withChoices = (choices: readonly string[], option: Option): Option =>
  Object.assign(option, { argChoices: choices });

export const choiceFlag = (
  flags: string,
  description: string,
  choices: readonly string[],
  fallback: string,
): Option =>
  withChoices(
    choices,
    flag(
      flags,
      description,
      (input) => (choices.includes(input) ? E.right(input) : E.left(`it must be ${choices.join(' or ')}`)),
      fallback,
    ),
  );

/** Off by default: `--name` turns it on, `--name false` turns it off against the environment. */
export const switchFlag = (name: string, description: string): Option =>
  flag<boolean>(
    `${name} [boolean]`,
    description,
    (input) =>
      input === 'true' || input === 'false' ? E.right(input === 'true') : E.left('it must be true or false'),
    false,
  ).preset('true');

export const portFlag = (flags: string, description: string, fallback: number): Option =>
  integerFlag(flags, description, { min: 0, max: 65535 }, fallback);

const readVerbosity: Read<number> = (input) =>
  /^[0-3]$/.test(input)
    ? E.right(Number(input))
    : /^v{1,2}$/.test(input)
      ? E.right(input.length + 1)
      : E.left('it must be 0 to 3');

/** `-v` is 1, `-vv` 2, `-vvv` or `-v 3` is 3. */
export const verboseFlag = (): Option =>
  withChoices(
    ['0', '1', '2', '3'],
    flag(
      '-v, --verbose [level]',
      'how much to log: 0 warnings, 1 events, 2 details, 3 everything',
      readVerbosity,
      0,
    ).preset('1'),
  );

/** Reads an H4 stream in the notation of `--hci`. */
export const readStream = (input: string): E.Either<string, StreamSpec> =>
  pipe(
    parseHciSpec(input),
    E.chain((spec) =>
      spec.kind === 'tcp' || spec.kind === 'unix'
        ? E.right(spec)
        : E.left('it must be tcp:HOST:PORT or unix:PATH'),
    ),
  );

/** `otherwise`: what `default` does if no adapter is down. */
export const hciFlag = (otherwise = 'the first that is up'): Option =>
  grouped('Radio')(
    flag<HciSpec>(
      '--hci <spec>',
      'the Bluetooth adapter: user:hciN takes an adapter that is down, for this program alone; hciN shares an adapter that is up; ' +
        `tcp:HOST:PORT or unix:PATH is an H4 stream; default takes the first adapter that is down, else ${otherwise}`,
      parseHciSpec,
      { kind: 'default' },
      'default',
    ),
  );

/** An adapter of BlueZ: by default the first one that is on, else the first. */
export interface BluezSpec {
  readonly adapter?: string;
}

const readBluez = (input: string): E.Either<string, BluezSpec | undefined> => {
  if (input === 'false') return E.right(undefined);
  if (input === 'true') return E.right({});
  return /^hci\d{1,3}$/.test(input)
    ? E.right({ adapter: input })
    : E.left('it must be hciN, or true for the first adapter, or false');
};

/** `--bluez false` turns it off against the environment. */
export const bluezFlag = (): Option =>
  grouped('Radio')(
    flag<BluezSpec | undefined>(
      '--bluez [adapter]',
      'an adapter by BlueZ, which other programs use as well; it needs no rights: hciN, or without a value the first one',
      readBluez,
      undefined,
    ).preset('true'),
  );
