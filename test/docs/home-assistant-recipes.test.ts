/** Automations of the documents, by the rules of Home Assistant: home-assistant/core, `homeassistant/components/`. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parse } from 'yaml';
import { render } from '../mqtt/jinja.js';
import { blocksIn, PAGES, readPage } from '../support/documents.js';
import { requirePython } from '../support/require.js';

interface StateTrigger {
  readonly trigger: 'state';
  readonly entity_id: string;
  readonly from?: string | readonly string[];
  readonly not_from?: string | readonly string[];
  readonly to?: string | readonly string[];
  readonly not_to?: string | readonly string[];
}

interface Recipe {
  readonly triggers: readonly StateTrigger[];
  readonly conditions?: readonly string[];
}

interface State {
  readonly state: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const recipes: readonly (readonly [page: string, recipe: Recipe])[] = PAGES.flatMap((page) =>
  blocksIn(readPage(page))
    .filter(({ language, text }) => language === 'yaml' && /^triggers:/m.test(text))
    .map(({ text }) => [page, parse(text) as Recipe] as const),
);

const listed = (states: string | readonly string[]): readonly string[] =>
  typeof states === 'string' ? [states] : states;

const matches = (
  state: string | undefined,
  only: string | readonly string[] | undefined,
  not: string | readonly string[] | undefined,
): boolean =>
  (only === undefined || (state !== undefined && listed(only).includes(state))) &&
  (not === undefined || state === undefined || !listed(not).includes(state));

/**
 * Whether a change of a state starts a trigger (`homeassistant/triggers/state.py`): without states in it, a change of
 * attributes does too. `before` is undefined for an entity that is new.
 */
const triggers = (given: StateTrigger, before: State | undefined, after: State): boolean => {
  const isAny = ['from', 'not_from', 'to', 'not_to'].every((option) => !(option in given));
  return (
    matches(before?.state, given.from, given.not_from) &&
    matches(after.state, given.to, given.not_to) &&
    (isAny || before?.state !== after.state)
  );
};

/** A change of a die's event entity: its link begins or ends, or an event with a type and a face. */
type Happening = 'linked' | 'lost' | readonly [type: string, face: number];

/**
 * The states of an event (`event/__init__.py`): the time of the last one with its attributes, unknown before the first; an
 * entity that is unavailable has no attributes of its state.
 */
const statesOf = (history: readonly Happening[]): readonly State[] => {
  let isAvailable = false;
  let last: State = { state: 'unknown', attributes: { event_type: null } };
  return ([undefined, ...history] as const).map((happening, index) => {
    if (Array.isArray(happening)) {
      const [event_type, face] = happening as readonly [string, number];
      const state = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
      last = { state, attributes: { event_type, face } };
    } else if (happening !== undefined) isAvailable = happening === 'linked';
    return isAvailable ? last : { state: 'unavailable', attributes: {} };
  });
};

/** Indexes of what starts a recipe in a history. */
const startedBy = async (recipe: Recipe, history: readonly Happening[]): Promise<readonly number[]> => {
  const states = statesOf(history);
  const changes = states.flatMap((to_state, index) =>
    recipe.triggers.some((trigger) => triggers(trigger, states[index - 1], to_state))
      ? [{ at: index - 1, to_state }]
      : [],
  );
  const { conditions = [] } = recipe;
  const rendered = await render(
    changes.flatMap(({ to_state }) =>
      conditions.map((template) => ({ template, variables: { trigger: { to_state } } })),
    ),
  );
  return changes.flatMap(({ at }, index) =>
    rendered.slice(index * conditions.length, (index + 1) * conditions.length).every((one) => one === 'True')
      ? [at]
      : [],
  );
};

const ROLL_6 = ['rolled', 6] as const;

const HISTORIES: readonly (readonly [
  title: string,
  history: readonly Happening[],
  started: readonly number[],
])[] = [
  ['starts at the first roll of a 6', ['linked', ROLL_6], [1]],
  ['starts at each roll of a 6', ['linked', ROLL_6, ROLL_6, ['rolled', 5], ROLL_6], [1, 2, 4]],
  [
    'does not start at other rests on a 6',
    ['linked', ['rolled_tilted', 6], ['moved', 6], ['fake_roll', 6]],
    [],
  ],
  [
    'does not start again when a lost die is back',
    ['linked', ROLL_6, 'lost', 'linked', 'lost', 'linked'],
    [1],
  ],
  ['starts at a roll after a link loss', ['linked', ROLL_6, 'lost', 'linked', ROLL_6], [1, 4]],
];

describe('An automation of the documents', () => {
  it('is in docs/fleet.md', () => {
    expect(recipes.map(([page]) => page)).to.include('docs/fleet.md');
  });

  for (const [page, recipe] of recipes)
    for (const [title, history, started] of HISTORIES)
      it(`${title} (${page})`, async function () {
        requirePython(this, 'jinja2');
        expect(await startedBy(recipe, history)).to.deep.equal(started);
      });

  it('without states in its trigger starts again when a lost die is back', async function () {
    requirePython(this, 'jinja2');
    const recipe: Recipe = {
      triggers: [{ trigger: 'state', entity_id: 'event.roll' }],
      conditions: ["{{ trigger.to_state.attributes.get('face') == 6 }}"],
    };
    expect(await startedBy(recipe, ['linked', ROLL_6, 'lost', 'linked'])).to.deep.equal([1, 3]);
  });
});
