/** The table: the dice of a server, and how they roll. */
import { render } from 'preact';
import { Action } from '../action.js';
import { texts } from '../texts.js';
import { scan } from './actions.js';
import { Card } from './card.js';
import { FoundDice } from './found.js';
import { Rolls } from './rolls.js';
import { start, useToken } from './server.js';
import { adapter, connection, dice, newDice, scanning } from './state.js';
import { Sum } from './sum.js';
import { TokenForm } from '../token-form.js';

const Dice = () => (
  <>
    <FoundDice />
    {dice.value.size === 0 && newDice.value === null && connection.value === 'open' ? (
      <p class="empty">{texts.empty}</p>
    ) : null}
    <Rolls />
    <section class="cards" aria-label={texts.title}>
      {[...dice.value.values()].map((die) => (
        <Card key={die.session_id} die={die} />
      ))}
    </section>
    {dice.value.size === 0 ? null : <Sum />}
  </>
);

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
      {adapter.value === 'poweredOn' ? null : (
        <p class="notice" role="status">
          {texts.adapterOff(adapter.value)}
        </p>
      )}
      {connection.value === 'token' ? <TokenForm use={useToken} /> : <Dice />}
    </main>
  </>
);

const app = document.getElementById('app');
if (app !== null) render(<Table />, app);
void start();
