/** The rolls of an evening, a day, or all, the newest first. */
import { Action } from '../common/action.js';
import { Select } from '../common/controls.js';
import { written } from '../common/outlines.js';
import {
  FORMATS,
  grouping,
  hasEarlier,
  hasLater,
  isKept,
  saveRolls,
  showEarlier,
  showLater,
  shown,
} from './history.js';
import { GROUPINGS, type Grouping } from './periods.js';
import type { Roll } from './pool.js';
import { shellOf } from './shape.js';
import { colorAt, keyOfRoll, nameAt, rolls, store } from './state.js';
import { texts } from './texts.js';
import { momentOf, spanOf } from '../common/moments.js';

const SHOWN_ROLLS = 60;

const titleOf = ({ address, time }: Roll): string => {
  const color = colorAt(address);
  return [nameAt(address), color === null ? '' : texts.body(color), momentOf(time)]
    .filter((part) => part !== '')
    .join(', ');
};

const Line = ({ of }: { readonly of: readonly Roll[] }) => (
  <ol>
    {of
      .slice(-SHOWN_ROLLS)
      .reverse()
      .map((roll) => (
        <li key={keyOfRoll(roll)} class={shellOf(colorAt(roll.address))} title={titleOf(roll)}>
          {written(roll.type, roll.face)}
        </li>
      ))}
  </ol>
);

const isGrouping = (value: string): value is Grouping => GROUPINGS.some((grouping) => grouping === value);

interface StepProps {
  readonly label: string;
  readonly sign: string;
  /** Whether there is such a period. */
  readonly is: boolean;
  readonly go: () => void;
}

const Step = ({ label, sign, is, go }: StepProps) => (
  <button
    type="button"
    class="icon"
    aria-label={label}
    aria-disabled={!is}
    onClick={() => {
      if (is) go();
    }}
  >
    {sign}
  </button>
);

/** The choice of a period, and the way to earlier and later ones. */
const Periods = () => {
  const [first, last] = [shown.value.at(0), shown.value.at(-1)];
  const isAll = grouping.value === 'all';
  return (
    <div class="periods">
      <Select
        label={texts.show}
        value={grouping.value}
        values={GROUPINGS}
        nameOf={(value) => (isGrouping(value) ? texts.groupings[value] : value)}
        choose={(value) => {
          if (isGrouping(value)) grouping.value = value;
        }}
      />
      {isAll ? null : (
        <>
          <Step label={texts.earlier} sign="‹" is={hasEarlier.value} go={showEarlier} />
          <Step label={texts.later} sign="›" is={hasLater.value} go={showLater} />
        </>
      )}
      {isAll || first === undefined || last === undefined ? null : (
        <span>{spanOf(first.time, last.time)}</span>
      )}
    </div>
  );
};

export const Rolls = () => {
  const newest = rolls.value.at(-1);
  const all = shown.value;
  return (
    <section class="rolls" aria-labelledby="rolls">
      <header>
        <h2 id="rolls">{texts.rolls}</h2>
        <div class="actions">
          {(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((format) => (
            <Action
              key={format}
              label={texts.save[format]}
              disabled={all.length === 0 || !isKept.value}
              run={() => saveRolls(format)}
            />
          ))}
        </div>
      </header>
      {store.value === null || store.value.state === 'ok' || store.value.state === 'opening' ? (
        <Periods />
      ) : (
        <p class="notice">{texts.noHistory(store.value.problem)}</p>
      )}
      {all.length === 0 ? <p>{texts.noRolls}</p> : <Line of={all} />}
      <p class="live" aria-live="polite">
        {newest === undefined
          ? ''
          : texts.announce(nameAt(newest.address), written(newest.type, newest.face))}
      </p>
    </section>
  );
};
