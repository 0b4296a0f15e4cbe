/** Steps about the dice of a scenario. */
import { Given, When } from '@cucumber/cucumber';
import { expect, numberFrom } from '../expect/expect.js';
import type { AnyDiceType, DiceType } from '../../src/dice/contract.js';
import { fieldsIn } from '../support/fields.js';
import { nextDie, rename } from '../support/devices.js';
import type { Die } from '../support/scenario-devices.js';
import type { Action } from '../actors/actions.js';
import { Skip } from '../actors/skip.js';
import type { Listener } from '../../simulators/testing/internal/listener.js';
import type { Scenario } from '../support/scenario.js';

/** An action that virtual dice alone support. */
const act = (scenario: Scenario, action: Readonly<Record<string, unknown>>): Promise<unknown> =>
  scenario.control.act(scenario.die().address, action);

const requireShell = ({ shell, type }: Die): void => {
  if (shell !== undefined && shell !== type)
    throw new Skip(`needs a die in a ${type} shell: this one is a ${shell}`);
};

/**
 * Drops the messages after the first `from` and before the roll that ended on one of `faces`: the attempts of a person who
 * rolls until such a face is up. Resolves with the face. Without such a roll, within patience, the next step sees all
 * messages.
 */
const dropAttempts = async (
  stream: Listener,
  from: number,
  faces: readonly number[],
): Promise<number | undefined> => {
  const { texts } = stream;
  const faceIn = (message: string): number | undefined => (JSON.parse(message) as { face?: number }).face;
  const endedOn = (message: string): boolean => faces.some((face) => face === faceIn(message));
  let seen = from;
  while (!texts.slice(seen).some(endedOn)) {
    seen = texts.length;
    try {
      await stream.holds(seen + 1);
    } catch {
      return undefined;
    }
  }
  const end = texts.findIndex((message, index) => index >= seen && endedOn(message));
  const start = texts.findLastIndex(
    (message, index) => index < end && (JSON.parse(message) as { kind?: string }).kind === 'RollStart',
  );
  const face = faceIn(texts[end] ?? '{}');
  if (start > from) texts.splice(from, start - from);
  return face;
};

/** A roll of several. */
interface Series {
  /** Further faces that do for an actor who watches. */
  readonly others: readonly number[];
  readonly progress: string;
}

/** Rolls a die, and drops the events of a person's earlier attempts. */
const roll = async (
  scenario: Scenario,
  number: number,
  face: number,
  ending = 'stable',
  { others, progress }: Partial<Series> = {},
): Promise<void> => {
  const die = scenario.die(number);
  requireShell(die);
  const before = scenario.streams.map(({ texts }) => texts.length);
  const action = {
    type: 'roll',
    die: die.type,
    face,
    ending,
    ...(others !== undefined && { others }),
  } as const;
  const { tries } = await scenario.perform(die, action, progress);
  const faces = [face, ...(others ?? [])];
  const ends = tries
    ? await Promise.all(
        scenario.streams.map((stream, index) => dropAttempts(stream, before[index] ?? 0, faces)),
      )
    : [];
  scenario.rolled.push(ends[0] ?? face);
};

const turn = async (scenario: Scenario, face: number): Promise<void> => {
  requireShell(scenario.die());
  await scenario.perform(scenario.die(), { type: 'turn', die: scenario.die().type, face });
};

const connect = async (
  scenario: Scenario,
  die: Die,
  body?: Readonly<Record<string, unknown>>,
): Promise<void> => {
  await scenario.connect(die, body);
  expect('status', scenario.answer.status, numberFrom(200, 299));
};

const acceleration = (x: number, y: number, z: number) => ({ acceleration: { x, y, z } });

Given('a server with a simulator', async function (this: Scenario) {
  const { json } = await this.server.get('/health');
  const { simulator } = json as { readonly simulator?: boolean };
  if (simulator !== true) throw new Skip('needs a server with --simulator');
});

Given('a die', async function (this: Scenario) {
  await nextDie(this);
});

Given('{int} dice', async function (this: Scenario, count: number) {
  for (let n = 0; n < count; n++) await nextDie(this);
});

Given(/^an? (black|red|green|blue|yellow|orange) die$/, async function (this: Scenario, color: string) {
  await nextDie(this, { color });
});

/** `"die" "d20" and "face" 3` */
Given(/^a die with (".+)$/, async function (this: Scenario, fields: string) {
  const start = fieldsIn(fields);
  const shell = start['die'] === 'd6_pipped' ? 'd6' : (start['die'] as AnyDiceType | undefined);
  await nextDie(this, { ...(shell !== undefined && { shell }), start });
});

Given('a die that rests on {int}', async function (this: Scenario, face: number) {
  await nextDie(this);
  await turn(this, face);
});

Given(
  /^a connected die( and a client of the event stream)?$/,
  async function (this: Scenario, client: string | null) {
    await nextDie(this);
    await connect(this, this.die());
    if (typeof client === 'string') await this.openStream('/ws');
  },
);

/** A bench can set the level of virtual dice alone. */
Given('a connected die that is not full', async function (this: Scenario) {
  await nextDie(this);
  if (this.bench.virtualAir) await act(this, { type: 'battery', level: 57 });
  await connect(this, this.die());
  const { json } = await this.server.get(`/api/battery/${this.die().session}`);
  if ((json as { battery_level: number }).battery_level === 100)
    throw new Skip('needs a die that is not full');
});

Given('a connected die as {word}', async function (this: Scenario, type: DiceType) {
  await nextDie(this, { shell: type });
  await connect(this, this.die(), { dice_type: type });
});

Given('{int} connected dice', async function (this: Scenario, count: number) {
  for (let n = 1; n <= count; n++) {
    await nextDie(this);
    await connect(this, this.die(n));
  }
});

Given('die {int} advertises with {int} dBm', async function (this: Scenario, number: number, rssi: number) {
  await this.control.place(this.die(number).address, { rssi });
});

Given(
  'die {int} advertises with a strength that no adapter reports',
  async function (this: Scenario, number: number) {
    await this.control.send('PUT', `/air/${this.die(number).address}`, { rssi: null });
  },
);

Given("the die's battery is at {int}", async function (this: Scenario, level: number) {
  await act(this, { type: 'battery', level });
});

Given(
  "the die's resting acceleration is {int}, {int}, {int}",
  async function (this: Scenario, x: number, y: number, z: number) {
    await act(this, { type: 'turn', ...acceleration(x, y, z) });
  },
);

const setBehaviour = (scenario: Scenario, behaviour: object): Promise<unknown> =>
  scenario.control.send('PUT', `/devices/${scenario.die().address}/behaviour`, behaviour);

Given('the die ignores {string}', async function (this: Scenario, opcode: string) {
  await setBehaviour(this, { silent_opcodes: [opcode] });
});

Given('the die drops its link whenever a roll has begun', async function (this: Scenario) {
  await setBehaviour(this, { drop_after_roll_start: true });
});

When(
  /^(?:the die|die (\d+)) rolls (\d+)(?:, ending (\S+))?$/,
  async function (this: Scenario, number: number | null, face: number, ending: string | null) {
    await roll(this, number ?? 1, face, ending ?? 'stable');
  },
);

/** One after the other, since a die begins a roll after the end of the last roll. */
When(
  /^the die rolls each of ([\d, -]+\d)( in any order)?$/,
  async function (this: Scenario, list: string, inAnyOrder: string | null) {
    const [stream] = this.streams;
    const missing = list.split(',').map(Number);
    const count = missing.length;
    const chooses = typeof inAnyOrder === 'string' && this.hands.actors.roll?.watches === true;
    const first = this.rolled.length;
    while (missing.length > 0) {
      const [face = 0, ...others] = missing;
      const seen = this.rolled.slice(first);
      const progress = [`${seen.length} of ${count} faces seen`, seen.join(' ')].filter(
        (part) => part !== '',
      );
      const before = stream?.texts.length ?? 0;
      await roll(this, 1, face, 'stable', {
        progress: progress.join(': '),
        ...(chooses && { others }),
      });
      await stream?.holds(before + 2);
      missing.splice(missing.indexOf(this.rolled.at(-1) ?? face), 1);
    }
  },
);

When('the die is turned to {int}', async function (this: Scenario, face: number) {
  await turn(this, face);
});

When(
  'the die comes to rest at {int}, {int}, {int}',
  async function (this: Scenario, x: number, y: number, z: number) {
    await act(this, { type: 'turn', ...acceleration(x, y, z) });
  },
);

When(
  /^the (die|clock) is renamed "([^"]+)"$/,
  async function (this: Scenario, kind: 'die' | 'clock', name: string) {
    await rename(this, this[kind](), name);
  },
);

const actions: Readonly<Record<string, Action>> = {
  'the die begins a roll that does not end': { type: 'shake' },
  'the die is tapped': { type: 'tap' },
  'the die is tapped twice': { type: 'double_tap' },
  'the die is put on its charger': { type: 'charge', on: true },
  'the die is taken off its charger': { type: 'charge', on: false },
};
for (const [text, action] of Object.entries(actions))
  When(text, async function (this: Scenario) {
    await this.perform(this.die(), action);
  });
