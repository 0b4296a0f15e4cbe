import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { codecs, decode, parseError, type ServerError } from '../../src/http/index.js';
import { seededRng, type FaultSpec } from '../radio/index.js';
import { FaultBody, Target } from './faults.js';

const MAX_SEED = 2 ** 32 - 1;
const MAX_SECS = 86_400;
const MAX_PER_MINUTE = 6_000;
const MAX_FAULTS = 100_000;

/** How long a fault of chaos is there if it does not say so itself. */
const USUAL_FOR_MS = 1_000;

/** A kind of fault that comes again and again. */
interface Recurring {
  readonly perMinute: number;
  readonly devices: 'all' | readonly string[];
  /** Its device is another one each time. */
  readonly fault: FaultSpec;
}

/** Faults by chance, and how many of which. */
export interface ChaosPlan {
  readonly seed: number;
  readonly durationSecs: number;
  readonly faults: readonly Recurring[];
}

/** One fault of a schedule, `atMs` after the beginning. */
export interface Occurrence {
  readonly atMs: number;
  readonly fault: FaultSpec;
}

const devices = new t.Type<'all' | readonly string[], unknown>(
  'all, or an array of addresses and adapters such as hci0',
  (value): value is 'all' | readonly string[] => value === 'all' || t.array(Target).is(value),
  (value, context) => (value === 'all' ? t.success('all') : t.array(Target).validate(value, context)),
  t.identity,
);

const EntryBody = codecs.objectWith({ per_minute: codecs.number(0, MAX_PER_MINUTE) }, { devices });

const PlanBody = codecs.objectWith(
  {
    seed: codecs.integer(0, MAX_SEED),
    duration_secs: codecs.number(1, MAX_SECS),
    faults: t.array(EntryBody, 'an array of faults'),
  },
  { devices },
);

const inEntry =
  (index: number) =>
  (error: ServerError): ServerError =>
    error._tag === 'ParseError' ? { ...error, message: `faults[${index}].${error.message}` } : error;

/** A fault as POST /faults takes it, with any device that each of its type may have. */
const decodeFault = (entry: object, index: number): E.Either<ServerError, FaultSpec> =>
  pipe(
    { for_ms: USUAL_FOR_MS, ...entry, device: 'hci0' },
    decode(FaultBody, 'the fault'),
    E.mapLeft(inEntry(index)),
  );

const recurring = (
  plan: t.TypeOf<typeof PlanBody>,
  { per_minute: perMinute, devices: given, ...entry }: t.TypeOf<typeof EntryBody>,
  index: number,
): E.Either<ServerError, Recurring> => {
  const whom = given ?? plan.devices ?? 'all';
  return pipe(
    decodeFault(entry, index),
    E.filterOrElse(
      ({ type }) =>
        type !== 'adapter_down' || (whom !== 'all' && whom.every((device) => device.startsWith('hci'))),
      () => inEntry(index)(parseError('devices of adapter_down must be adapters, such as ["hci0"]')),
    ),
    E.filterOrElse(
      () => whom.length > 0,
      () => inEntry(index)(parseError('devices must name at least one')),
    ),
    E.map((fault) => ({ perMinute, devices: whom, fault })),
  );
};

/** Reads a plan. Left: a sentence, which begins with the entry if one is wrong, counted from 0. */
export const decodeChaos = (value: unknown): E.Either<ServerError, ChaosPlan> =>
  pipe(
    value,
    decode(PlanBody, 'the plan'),
    E.chain((plan) =>
      pipe(
        plan.faults,
        E.traverseArrayWithIndex((index, entry) => recurring(plan, entry, index)),
        E.map((faults) => ({ seed: plan.seed, durationSecs: plan.duration_secs, faults })),
      ),
    ),
    E.filterOrElse(
      ({ faults, durationSecs }) =>
        faults.reduce((sum, { perMinute }) => sum + (perMinute * durationSecs) / 60, 0) <= MAX_FAULTS,
      () => parseError(`the plan must have at most ${MAX_FAULTS} faults in all`),
    ),
  );

/** Times that are `perMinute` times a minute on average and know nothing of each other, milliseconds. */
const moments = (perMinute: number, untilMs: number, chance: () => number): readonly number[] => {
  const times: number[] = [];
  const pause = (): number => (-Math.log(1 - chance()) * 60_000) / perMinute;
  if (perMinute > 0) for (let at = pause(); at < untilMs; at += pause()) times.push(Math.round(at));
  return times;
};

/** Seeds of the kinds of fault in a plan, far from each other: what is changed in one leaves the others as they are. */
const SPREAD = 0x85ebca6b;

/** What a plan does to a world of `all` devices, in order: the same for the same plan, whatever happens meanwhile. */
export const schedule = (plan: ChaosPlan, all: readonly string[]): readonly Occurrence[] =>
  plan.faults
    .flatMap(({ perMinute, devices: whom, fault }, index): readonly Occurrence[] => {
      const chance = seededRng(plan.seed + Math.imul(index + 1, SPREAD));
      const targets = whom === 'all' ? all : whom;
      return moments(perMinute, plan.durationSecs * 1000, chance).flatMap((atMs) => {
        const device = targets[Math.floor(chance() * targets.length)];
        return device === undefined ? [] : [{ atMs, fault: { ...fault, device } }];
      });
    })
    .sort((a, b) => a.atMs - b.atMs);
