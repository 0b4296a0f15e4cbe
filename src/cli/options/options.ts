/** Flags as every command has them: each also an environment variable, each with a message for a bad value. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { parseHciSpec, type HciSpec, type StreamSpec } from '../../ble/hci/spec.js';
import { deviceAddress } from '../../codecs/index.js';

/** A value, or the message that says what it must be. */
export type Read<A> = (given: string, previous: A) => E.Either<string, A>;

const variable = (option: Option): string =>
  `AIRBENCH_${option
    .attributeName()
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`;

/** A flag that is `fallback` unless given, on the command line or else in the environment. */
export const flag = <A>(
  flags: string,
  description: string,
  read: Read<A>,
  fallback: A,
  shown?: string,
): Option => {
  const option = new Option(flags, description).default(fallback, shown).argParser((given, previous: A) =>
    pipe(
      read(given, previous),
      E.getOrElse((message): A => {
        throw new InvalidArgumentError(message);
      }),
    ),
  );
  return option.env(variable(option));
};

export interface Range {
  readonly min: number;
  readonly max: number;
}

const numberIn =
  ({ min, max }: Range, kind: string, form: RegExp) =>
  (given: string): E.Either<string, number> => {
    const value = form.test(given) ? Number(given) : NaN;
    return value >= min && value <= max ? E.right(value) : E.left(`it must be ${kind} from ${min} to ${max}`);
  };

export const integerFlag = (
  flags: string,
  description: string,
  range: Range,
  fallback: number | undefined,
  shown?: string,
): Option =>
  flag<number | undefined>(flags, description, numberIn(range, 'a whole number', /^\d+$/), fallback, shown);

/** Seconds, with a fraction if need be. */
export const readSeconds = (range: Range): ((given: string) => E.Either<string, number>) =>
  numberIn(range, 'a number of seconds', /^\d+(?:\.\d+)?$/);

export const secondsFlag = (flags: string, description: string, range: Range, fallback: number): Option =>
  flag<number>(flags, description, readSeconds(range), fallback);

const readText = (given: string): E.Either<string, string> =>
  given === '' ? E.left('it must not be empty') : E.right(given);

export const textFlag = (flags: string, description: string, fallback: string): Option =>
  flag<string>(flags, description, readText, fallback);

/** Several with commas between, added to those given before. */
const readList =
  <A>(readOne: (given: string) => E.Either<string, A>): Read<readonly A[]> =>
  (given, previous) =>
    pipe(
      given.split(','),
      E.traverseArray((one) => readOne(one.trim())),
      E.map((added): readonly A[] => [...previous, ...added]),
    );

export const isGiven = (command: Command, option: Option): boolean =>
  ['cli', 'env'].includes(command.getOptionValueSource(option.attributeName()) ?? '');

/** None unless given; repeatable. */
export const listFlag = <A>(
  flags: string,
  description: string,
  readOne: (given: string) => E.Either<string, A>,
): Option => flag<readonly A[]>(flags, description, readList(readOne), [], 'none');

export const optionalTextFlag = (flags: string, description: string): Option =>
  flag<string | undefined>(flags, description, readText, undefined);

export const readAddress = (given: string): E.Either<string, string> =>
  pipe(
    deviceAddress.decode(given),
    E.mapLeft(() => `it must be ${deviceAddress.name}`),
  );

export const choiceFlag = (
  flags: string,
  description: string,
  choices: readonly string[],
  fallback: string,
): Option =>
  flag(
    flags,
    description,
    (given) => (choices.includes(given) ? E.right(given) : E.left(`it must be ${choices.join(' or ')}`)),
    fallback,
  );

/** Off unless given: `--name`, or `--name false` where the environment says otherwise. */
export const switchFlag = (name: string, description: string): Option =>
  flag<boolean>(
    `${name} [boolean]`,
    description,
    (given) =>
      given === 'true' || given === 'false' ? E.right(given === 'true') : E.left('it must be true or false'),
    false,
  ).preset('true');

export const portFlag = (flags: string, description: string, fallback: number): Option =>
  integerFlag(flags, description, { min: 0, max: 65535 }, fallback);

const readVerbosity: Read<number> = (given) =>
  /^[0-3]$/.test(given)
    ? E.right(Number(given))
    : /^v{1,2}$/.test(given)
      ? E.right(given.length + 1)
      : E.left('it must be 0 to 3');

/** `-v` is 1, `-vv` 2, `-vvv` or `-v 3` is 3. */
export const verboseFlag = (): Option =>
  flag(
    '-v, --verbose [level]',
    'how much to log: 0 warnings, 1 events, 2 details, 3 everything',
    readVerbosity,
    0,
  ).preset('1');

/** An H4 stream, as `--hci` names one. */
export const readStream = (given: string): E.Either<string, StreamSpec> =>
  pipe(
    parseHciSpec(given),
    E.chain((spec) =>
      spec.kind === 'tcp' || spec.kind === 'unix'
        ? E.right(spec)
        : E.left('it must be tcp:HOST:PORT or unix:PATH'),
    ),
  );

export const hciFlag = (): Option =>
  flag<HciSpec>(
    '--hci <spec>',
    'the Bluetooth adapter: user:hciN takes an adapter that is down, for this server alone; hciN shares an adapter that is up; ' +
      'tcp:HOST:PORT or unix:PATH is an H4 stream; default takes the first adapter that is down, else the first that is up',
    parseHciSpec,
    { kind: 'default' },
    'default',
  );
