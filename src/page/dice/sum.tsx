/** The total of the chosen dice, by a formula such as `2d6+3`. */
import { signal, useSignal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { EXAMPLES, lastThrow, readPool, type Pool } from './pool.js';
import { written } from '../common/outlines.js';
import { shellOf } from './shape.js';
import { excluded, rolls } from './state.js';
import { texts } from './texts.js';

/** A sum of the rolls after `since`. */
interface Summed {
  readonly pool: Pool;
  readonly since: string | undefined;
}

const summed = signal<Summed | null>(null);

const Result = ({ pool, since }: Summed) => {
  const first = since === undefined ? 0 : rolls.value.findIndex(({ key }) => key === since) + 1;
  const chosen = rolls.value.slice(first).filter(({ session }) => !excluded.value.has(session));
  const { rolls: thrown, missing, total } = lastThrow(pool, chosen);
  return (
    <>
      <output class="total">{total === null ? texts.noTotal : texts.total(total)}</output>
      <p>{missing.length === 0 ? texts.summed : texts.stillToRoll(missing)}</p>
      <ol>
        {thrown.map(({ key, type, color, face }) => (
          <li key={key} class={shellOf(color)}>
            {written(type, face)}
          </li>
        ))}
      </ol>
    </>
  );
};

export const Sum = () => {
  const text = useSignal('');
  const wrong = useSignal<string | null>(null);
  const begin = (): void => {
    const pool = readPool(text.value);
    wrong.value = E.isLeft(pool) ? pool.left : null;
    summed.value = E.isLeft(pool) ? null : { pool: pool.right, since: rolls.value.at(-1)?.key };
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
            maxLength={60}
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
      </form>
      <small id="sum-help">{texts.sumHelp}</small>
      {wrong.value === null ? null : (
        <p class="failure" role="alert">
          {texts.notUnderstood(wrong.value)}
        </p>
      )}
      {summed.value === null ? null : <Result {...summed.value} />}
    </section>
  );
};
