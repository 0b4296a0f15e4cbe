/** Checks automations of the documents by the rules of Home Assistant (home-assistant/core, `homeassistant/components/`). */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parse } from 'yaml';
import { render } from '../mqtt/jinja.js';
import { blocksIn, PAGES, readPage } from '../support/documents.js';
import { requirePython } from '../support/require.js';

type States = string | readonly string[];

const OPTIONS = ['from', 'not_from', 'to', 'not_to'] as const;

type StateTrigger = Partial<Readonly<Record<(typeof OPTIONS)[number], States>>>;

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

const matches = (state: string | undefined, only: States | undefined, not: States | undefined): boolean =>
  (only === undefined || (state !== undefined && [only].flat().includes(state))) &&
  (not === undefined || state === undefined || ![not].flat().includes(state));

/**
 * Whether a change of a state starts a trigger (`homeassistant/triggers/state.py`). A change of attributes starts a trigger
 * without states too. `before` is undefined for a new entity.
 */
const starts = (trigger: StateTrigger, before: State | undefined, after: State): boolean =>
  matches(before?.state, trigger.from, trigger.not_from) &&
  matches(after.state, trigger.to, trigger.not_to) &&
  (OPTIONS.every((option) => !(option in trigger)) || before?.state !== after.state);

/**
 * The states of a die's event entity (`event/__init__.py`) after each change: its link begins or ends (`linked`, `lost`), or an
 * event with a type and a face (`rolled 6`). A state is the time of the last event with its attributes, unknown before the first;
 * an unavailable entity has no attributes of its state.
 */
const statesOf = (history: readonly string[]): readonly State[] => {
  let isAvailable = false;
  let last: State = { state: 'unknown', attributes: { event_type: null } };
  return ['lost', ...history].map((change, index) => {
    const [event_type = '', face] = change.split(' ');
    if (face === undefined) isAvailable = change === 'linked';
    else {
      const state = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
      last = { state, attributes: { event_type, face: Number(face) } };
    }
    return isAvailable ? last : { state: 'unavailable', attributes: {} };
  });
};

/** The indexes of the changes that start a recipe. */
const startedBy = async (recipe: Recipe, history: readonly string[]): Promise<readonly number[]> => {
  const states = statesOf(history);
  const changes = states.flatMap((to_state, index) =>
    recipe.triggers.some((trigger) => starts(trigger, states[index - 1], to_state))
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
    rendered
      .slice(index * conditions.length, (index + 1) * conditions.length)
      .every((text) => text === 'True')
      ? [at]
      : [],
  );
};

const HISTORIES: readonly (readonly [title: string, history: string, started: readonly number[]])[] = [
  ['starts at the first roll of a 6', 'linked, rolled 6', [1]],
  ['starts at each roll of a 6', 'linked, rolled 6, rolled 6, rolled 5, rolled 6', [1, 2, 4]],
  ['does not start at other rests on a 6', 'linked, rolled_tilted 6, moved 6, fake_roll 6', []],
  ['does not start again when a lost die comes back', 'linked, rolled 6, lost, linked, lost, linked', [1]],
  ['starts at a roll after a link loss', 'linked, rolled 6, lost, linked, rolled 6', [1, 4]],
];

describe('An automation of the documents', () => {
  it('is in docs/home-assistant.md', () => {
    expect(recipes.map(([page]) => page)).to.include('docs/home-assistant.md');
  });

  for (const [page, recipe] of recipes)
    for (const [title, history, started] of HISTORIES)
      it(`${title} (${page})`, async function () {
        requirePython(this, 'jinja2');
        expect(await startedBy(recipe, history.split(', '))).to.deep.equal(started);
      });

  it('without states in its trigger starts again when a lost die comes back', async function () {
    requirePython(this, 'jinja2');
    const recipe: Recipe = {
      triggers: [{}],
      conditions: ["{{ trigger.to_state.attributes.get('face') == 6 }}"],
    };
    expect(await startedBy(recipe, ['linked', 'rolled 6', 'lost', 'linked'])).to.deep.equal([1, 3]);
  });
});
