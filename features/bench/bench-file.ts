/** The file that describes a bench: servers, devices, actuators and time limits. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { DiceType, DieColour } from '../../src/dice/contract.js';
import { KINDS, perKind } from '../../src/contract/kinds.js';
import { readJson } from '../../src/system/files.js';
import {
  boolean,
  checked,
  closedObject,
  deviceAddress,
  matching,
  number,
  oneOf,
  text,
  array,
  decode,
  described,
  type Codec,
  type JsonSchema,
} from '../../src/codecs/index.js';
import { makers } from '../actors/makers.js';
import { ACTION_TYPES, PARAMETERS, type ActionType } from '../actors/actions.js';

/** Without the slash at its end. */
export const url = matching('a URL such as http://localhost:3000', /^https?:\/\/[^/\s]+\/?$/, (value) =>
  value.replace(/\/$/, ''),
);

/** The value of the servers' `--hci`. */
const hci = matching(
  'an adapter: default, hciN, user:hciN, tcp:HOST:PORT or unix:PATH',
  /^(default|(user:)?hci\d+|tcp:.+:\d+|unix:.+)$/,
);

const ownAdapter = matching('an adapter of this machine: default or hciN', /^(default|hci\d+)$/);

/** A server that is up at `url`, or that the bench starts on the adapter `hci` with the further flags `args`. */
const server = (name: string) =>
  checked(
    closedObject({}, { url, hci, args: array(text, 'an array of strings') }),
    E.fromPredicate(
      (entries) => (entries.url === undefined) !== (entries.hci === undefined),
      () => `servers.${name} must have either url (it is up) or hci (it is started)`,
    ),
  );

/**
 * `name`: as the die advertises. Without a `shell`, the actor puts the die into any shell. Without a `maker`, the die
 * is a GoDice.
 */
const Die = closedObject(
  { address: deviceAddress, name: text },
  { maker: oneOf(makers), shell: DiceType, color: DieColour },
);
const Clock = closedObject({ address: deviceAddress }, { name: text });

export type ListedDie = t.TypeOf<typeof Die>;
export type ListedClock = t.TypeOf<typeof Clock>;

const isCommandLine = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((part) => text.is(part));

const COMMAND_LINE = { type: 'array', items: { type: 'string' }, minItems: 1 };

const entry = <A>(name: string, is: (value: unknown) => value is A, schema: JsonSchema): Codec<A, unknown> =>
  described(
    new t.Type<A, unknown>(
      name,
      is,
      (value, context) => (is(value) ? t.success(value) : t.failure(value, context)),
      t.identity,
    ),
    schema,
  );

const commandLine = entry('a program and its arguments, an array of strings', isCommandLine, COMMAND_LINE);

const PEOPLE = ['operator', 'control'] as const;

/** A program and its arguments, a person at the terminal, or the control API. */
export type Actuator = (typeof PEOPLE)[number] | readonly string[];

const Actuator = entry(
  '"operator", "control" or a program and its arguments as an array of strings',
  (value): value is Actuator => isCommandLine(value) || PEOPLE.some((person) => person === value),
  { anyOf: [{ enum: PEOPLE }, COMMAND_LINE] },
);

/** The placeholders in the arguments of every command. */
const OF_DEVICE = ['address', 'name', 'kind', 'action'];

const placeholders = (line: readonly string[]): readonly string[] =>
  line.flatMap((part) => [...part.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));

/** A command line for one purpose, which may contain the placeholders `names` alone. */
const commandOver = <A>(codec: Codec<A, unknown>, purpose: string, names: readonly string[]) =>
  checked(codec, (line) => {
    const stray = isCommandLine(line) ? placeholders(line).find((name) => !names.includes(name)) : undefined;
    const allowed = names.map((name) => `{${name}}`).join(', ');
    return stray === undefined
      ? E.right(line)
      : E.left(`actuators.${purpose} must not name {${stray}}: it may name ${allowed}`);
  });

const perAction = Object.fromEntries(
  ACTION_TYPES.map((action) => [
    action,
    commandOver(Actuator, action, [...OF_DEVICE, ...PARAMETERS[action]]),
  ]),
) as Record<ActionType, typeof Actuator>;

const Actuators = closedObject(
  {},
  {
    ...perAction,
    /** The actuator of every other action. */
    others: oneOf(PEOPLE),
    /** Prints the whole state of a device, a JSON object. */
    model: commandOver(commandLine, 'model', ['address']),
  },
);

const Limits = closedObject(
  {},
  { operator_secs: number(1, 3600), command_secs: number(1, 3600), patience_secs: number(0.1, 50) },
);

const Entries = closedObject(
  { servers: closedObject({}, perKind(server)) },
  {
    station: text,
    operator: text,
    /** The control API of the simulation that the servers use. */
    control: url,
    /** The kind of the devices, and the adapter here that plays them, or their control API elsewhere. */
    air: checked(
      closedObject({ device: oneOf(KINDS) }, { adapter: ownAdapter, url }),
      E.fromPredicate(
        (air) => (air.adapter === undefined) !== (air.url === undefined),
        () => 'air must have either adapter (it is started) or url (its control API is up)',
      ),
    ),
    dice: array(Die, 'an array of dice'),
    clocks: array(Clock, 'an array of clocks'),
    actuators: Actuators,
    limits: Limits,
    /** Whether devices may be reset. */
    destructive: boolean,
  },
);

const BenchFile = checked(
  Entries,
  E.fromPredicate(
    ({ air, control }) => air === undefined || control === undefined,
    () => 'control is the control API of a simulation that is up, air of one device: omit one of them',
  ),
);
export type BenchFile = t.TypeOf<typeof BenchFile>;

/** The bench that a file describes. */
export const benchOf = ({ air, control }: BenchFile): 'attach' | 'bench' | 'physical' =>
  air !== undefined ? 'bench' : control !== undefined ? 'attach' : 'physical';

/** Reads a bench file. Left is a message that names the file and the entry. */
export const readBenchFile = (path: string): E.Either<string, BenchFile> =>
  pipe(
    readJson(path),
    E.chain((json) =>
      pipe(
        json,
        decode(BenchFile, 'it'),
        E.mapLeft(({ message }) => message),
      ),
    ),
    E.mapLeft((reason) => `the bench file ${path} is wrong: ${reason}`),
  );
