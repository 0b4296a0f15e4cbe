/** The total of the chosen dice, by a formula such as `2d6+3`. */
import { computed, signal, useSignal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { written } from '../common/outlines.js';
import { EXAMPLES, readPool, type Refusal } from './notation.js';
import { lastThrow, type Pool } from './pool.js';
import { shellOf } from './shape.js';
import { colorAt, excluded, keyOfRoll, rolls } from './state.js';
import { texts } from './texts.js';

/** A sum of the rolls after the one with the key `since`. */
interface Summed {
  readonly pool: Pool;
  readonly since: string;
}

const summed = signal<Summed | null>(null);

/** Whether a sum is taken. */
export const isSumming = computed(() => summed.value !== null);

const Result = ({ pool, since }: Summed) => {
  const chosen = rolls.value.filter(
    (roll) => keyOfRoll(roll) > since && !excluded.value.includes(roll.address),
  );
  const { rolls: thrown, missing, total, dropped } = lastThrow(pool, chosen);
  return (
    <>
      <output class="total">{total === null ? texts.noTotal : texts.total(total)}</output>
      <p>{missing.length === 0 ? texts.summed : texts.stillToRoll(missing)}</p>
      <ol>
        {thrown.map((roll) => (
          <li key={keyOfRoll(roll)} class={shellOf(colorAt(roll.address))}>
            {dropped.includes(roll) ? <s>{written(roll.type, roll.face)}</s> : written(roll.type, roll.face)}
          </li>
        ))}
      </ol>
    </>
  );
};

export const Sum = () => {
  const text = useSignal('');
  const refusal = useSignal<Refusal | null>(null);
  const begin = (): void => {
    const pool = readPool(text.value);
    refusal.value = E.isLeft(pool) ? pool.left : null;
    const last = rolls.value.at(-1);
    const since = last === undefined ? '' : keyOfRoll(last);
    summed.value = E.isLeft(pool) ? null : { pool: pool.right, since };
  };
  return (
    <section class="sum" aria-labelledby="sum">
      <h2 id="sum">{texts.sum}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          begin();
        }}
      >
        <label>
          {texts.expression}{' '}
          <input
            type="text"
            list="expressions"
            required
            maxLength={200}
            placeholder={EXAMPLES[1]}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            aria-describedby="sum-help"
            value={text.value}
            onInput={({ currentTarget: { value } }) => (text.value = value)}
          />
        </label>
        <datalist id="expressions">
          {EXAMPLES.map((example) => (
            <option key={example} value={example} />
          ))}
        </datalist>
        <button type="submit">{texts.sumNow}</button>
        {summed.value === null ? null : (
          <button type="button" onClick={() => (summed.value = null)}>
            {texts.sumEnd}
          </button>
        )}
      </form>
      <small id="sum-help">{texts.sumHelp}</small>
      {refusal.value === null ? null : (
        <p class="failure" role="alert">
          {texts.refused(refusal.value)}
        </p>
      )}
      {summed.value === null ? null : <Result {...summed.value} />}
    </section>
  );
};
