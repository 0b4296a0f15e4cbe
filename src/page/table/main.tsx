/** The table: the dice of a server, and how they roll. */
import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { DiceType, type DiscoveredDevice } from '../../dice/contract.js';
import { DICE_TYPES } from '../../dice/protocol/faces.js';
import { Action } from '../action.js';
import { texts } from '../texts.js';
import { TokenForm } from '../token-form.js';
import { Card, nameOf } from './card.js';
import {
  adapter,
  connect,
  connection,
  dice,
  missed,
  newDice,
  rolls,
  scan,
  scanning,
  start,
  useToken,
  type Roll,
} from './dice.js';

const Found = ({ die }: { readonly die: DiscoveredDevice }) => {
  const type = useSignal<DiceType>('d6');
  return (
    <li>
      <span>
        <strong>{nameOf(die)}</strong> <small>{die.address}</small>
      </span>
      <label>
        {texts.shell}{' '}
        <select
          value={type.value}
          onChange={({ currentTarget: { value } }) => {
            if (DiceType.is(value)) type.value = value;
          }}
        >
          {DICE_TYPES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Action primary label={texts.connect} run={() => connect(die.address, type.value)} />
    </li>
  );
};

const FoundDice = () => {
  const some = newDice.value;
  if (some === null) return null;
  return (
    <section class="found" aria-labelledby="found">
      <h2 id="found">{texts.foundTitle}</h2>
      {some.length === 0 ? (
        <p>{texts.nothingFound}</p>
      ) : (
        <ul>
          {some.map((die) => (
            <Found key={die.address} die={die} />
          ))}
        </ul>
      )}
    </section>
  );
};

/** The most rolls in the line. */
const SHOWN_ROLLS = 60;

const csvOf = (all: readonly Roll[]): string =>
  [
    'seq,time,address,face',
    ...all.map(({ seq, time, address, face }) => `${seq},${time},${address},${face}`),
  ].join('\r\n');

const saveRolls = (): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csvOf(rolls.value)], { type: 'text/csv' }));
  link.download = 'rolls.csv';
  link.click();
  URL.revokeObjectURL(link.href);
};

const Rolls = () => {
  const latest = rolls.value.at(-1);
  const names = new Map([...dice.value.values()].map((die) => [die.session_id, nameOf(die)]));
  return (
    <section class="rolls" aria-labelledby="rolls">
      <header>
        <h2 id="rolls">{texts.rolls}</h2>
        <button type="button" disabled={latest === undefined} onClick={saveRolls}>
          {texts.csv}
        </button>
      </header>
      {missed.value ? <p class="notice">{texts.missed}</p> : null}
      {latest === undefined ? (
        <p>{texts.noRolls}</p>
      ) : (
        <ol>
          {rolls.value
            .slice(-SHOWN_ROLLS)
            .reverse()
            .map(({ seq, session, face, time }) => (
              <li key={seq} title={`${names.get(session) ?? ''} ${time}`}>
                {face}
              </li>
            ))}
        </ol>
      )}
      <p class="live" aria-live="polite">
        {latest === undefined ? '' : texts.announce(names.get(latest.session) ?? latest.address, latest.face)}
      </p>
    </section>
  );
};

const Table = () => (
  <>
    <header class="top">
      <h1>{texts.title}</h1>
      <p class={`state ${connection.value}`} role="status">
        {texts.connection[connection.value]}
      </p>
      <Action
        primary
        label={texts.scan}
        busy={texts.scanning}
        disabled={connection.value !== 'open' || scanning.value}
        run={scan}
      />
    </header>
    <main>
      {adapter.value === 'poweredOn' ? null : <p class="notice">{texts.adapterOff(adapter.value)}</p>}
      {connection.value === 'token' ? <TokenForm use={useToken} /> : null}
      <FoundDice />
      {dice.value.size === 0 && newDice.value === null && connection.value === 'open' ? (
        <p class="empty">{texts.empty}</p>
      ) : null}
      <section class="cards" aria-label={texts.title}>
        {[...dice.value.values()].map((die) => (
          <Card key={die.session_id} die={die} />
        ))}
      </section>
      <Rolls />
    </main>
  </>
);

const app = document.getElementById('app');
if (app !== null) render(<Table />, app);
void start();
