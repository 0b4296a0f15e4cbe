/** The line of rolls, the newest first. */
import { save } from '../common/browser.js';
import { nameOf } from './card.js';
import { written } from '../common/outlines.js';
import type { Roll } from './pool.js';
import { shellOf } from './shape.js';
import { dice, rolls } from './state.js';
import { texts } from './texts.js';

const SHOWN_ROLLS = 60;

const csvOf = (all: readonly Roll[]): string =>
  [
    'time,address,type,face',
    ...all.map(({ time, address, type, face }) => `${time},${address},${type ?? ''},${face}`),
    '',
  ].join('\r\n');

const saveRolls = (): void => save(new Blob([csvOf(rolls.value)], { type: 'text/csv' }), 'rolls.csv');

export const Rolls = () => {
  const latest = rolls.value.at(-1);
  const names = new Map([...dice.value.values()].map((die) => [die.session_id, nameOf(die)]));
  const nameIn = ({ session, address }: Roll): string => names.get(session) ?? address;
  const titleOf = (roll: Roll): string =>
    [
      nameIn(roll),
      roll.color === null ? '' : texts.body(roll.color),
      new Date(roll.time).toLocaleTimeString(),
    ]
      .filter((part) => part !== '')
      .join(', ');
  return (
    <section class="rolls" aria-labelledby="rolls">
      <header>
        <h2 id="rolls">{texts.rolls}</h2>
        <button type="button" disabled={latest === undefined} onClick={saveRolls}>
          {texts.csv}
        </button>
      </header>
      {latest === undefined ? (
        <p>{texts.noRolls}</p>
      ) : (
        <ol>
          {rolls.value
            .slice(-SHOWN_ROLLS)
            .reverse()
            .map((roll) => (
              <li key={roll.key} class={shellOf(roll.color)} title={titleOf(roll)}>
                {written(roll.type, roll.face)}
              </li>
            ))}
        </ol>
      )}
      <p class="live" aria-live="polite">
        {latest === undefined ? '' : texts.announce(nameIn(latest), written(latest.type, latest.face))}
      </p>
    </section>
  );
};
