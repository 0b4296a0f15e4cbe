import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import * as codecs from '../../src/codecs/index.js';
import { decode, parseError } from '../../src/codecs/index.js';
import type { FaultSpec } from '../radio/index.js';
import { seededRng } from '../radio/medium/rng.js';
import { faultBody, isAdapter, isOfProxy, Target } from './faults.js';

export const MAX_SEED = 2 ** 32 - 1;
const MAX_SECS = 86_400;
const MAX_PER_MINUTE = 6_000;
const MAX_FAULTS = 100_000;

/** The duration of a fault whose plan names none, ms. */
const USUAL_FOR_MS = 1_000;

/** The targets of a fault: all devices that are there when the plan begins, or one of these. */
type Whom = 'all' | readonly string[];

/** A fault without its device. */
type Untargeted<F = FaultSpec> = F extends FaultSpec ? Omit<F, 'device'> : never;

interface Recurring {
  readonly perMinute: number;
  readonly devices: Whom;
  /** Its device is another one each time. */
  readonly fault: Untargeted;
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

const targets = codecs.array(Target, 'an array of addresses and adapters');

const targeted = codecs.described(
  new t.Type<Whom, unknown>(
    'all, or an array of at least one address or adapter such as hci0',
    (value): value is Whom => value === 'all' || (targets.is(value) && value.length > 0),
    (value, context) => {
      if (value === 'all') return t.success(value);
      const isEmpty = Array.isArray(value) && value.length === 0;
      return isEmpty ? t.failure(value, context) : targets.validate(value, context);
    },
    t.identity,
  ),
  { anyOf: [{ const: 'all' }, { ...targets.schema.input, minItems: 1 }] },
);

const devices = codecs.named(
  'FaultTargets',
  'The devices that the faults are for; all that there are unless given',
  targeted,
);
const per_minute = codecs.named('FaultsPerMinute', 'How often on average', codecs.number(0, MAX_PER_MINUTE));

const EntryBody = faultBody({
  required: { per_minute },
  optional: { devices },
  adapters: { per_minute },
  proxies: { per_minute },
});

export const PlanBody = codecs.closedObject(
  {
    seed: codecs.about('The seed of all random choices of the plan', codecs.integer(0, MAX_SEED)),
    duration_secs: codecs.about('Seconds', codecs.number(1, MAX_SECS)),
    faults: codecs.array(EntryBody, 'an array of faults'),
  },
  { devices },
);

const recurring = (
  plan: t.TypeOf<typeof PlanBody>,
  { per_minute: perMinute, devices: given, ...fault }: t.TypeOf<typeof EntryBody>,
  index: number,
): E.Either<codecs.ParseError, Recurring> => {
  const whom = given ?? plan.devices ?? 'all';
  const required = isOfProxy(fault.type)
    ? 'proxies, such as ["proxy-1"]'
    : fault.type === 'adapter_down'
      ? 'adapters, such as ["hci0"]'
      : undefined;
  return required !== undefined && (whom === 'all' || !whom.every(isAdapter))
    ? E.left(parseError(`faults[${index}].devices of ${fault.type} must be ${required}`))
    : E.right({ perMinute, devices: whom, fault: { for_ms: USUAL_FOR_MS, ...fault } });
};

/** Reads a plan. Left: a message, which begins with the entry if one is wrong, counted from 0. */
export const decodeChaos = (value: unknown): E.Either<codecs.ParseError, ChaosPlan> =>
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

/** Times that are `perMinute` times a minute on average and independent of each other, milliseconds. */
const moments = (perMinute: number, untilMs: number, chance: () => number): readonly number[] => {
  const times: number[] = [];
  const pause = (): number => (-Math.log(1 - chance()) * 60_000) / perMinute;
  if (perMinute > 0) for (let at = pause(); at < untilMs; at += pause()) times.push(Math.round(at));
  return times;
};

/** Seeds of the kinds of fault in a plan, far from each other: what is changed in one leaves the others as they are. */
const SPREAD = 0x85ebca6b;

/** The faults that a plan injects into a world of `all` devices, in order. They depend on the plan alone. */
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
