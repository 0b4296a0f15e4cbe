/** The table: the dice of a server, and how they roll. */
import { Found } from '../found.js';
import { show } from '../place.js';
import { Scan } from '../scan.js';
import { connection } from '../server.js';
import { scan } from './actions.js';
import { Card, nameOf } from './card.js';
import { Connect } from './connect.js';
import { Rolls } from './rolls.js';
import { server } from './server.js';
import { dice, newDice, rolls } from './state.js';
import { Sum } from './sum.js';
import './table.css';
import { texts } from './texts.js';

const Dice = () => (
  <>
    <Found devices={newDice.value} nothing={texts.nothingFound} nameOf={nameOf}>
      {({ address }) => <Connect address={address} />}
    </Found>
    {dice.value.size === 0 && newDice.value === null && connection.value === 'open' ? (
      <p class="empty">{texts.empty}</p>
    ) : null}
    {dice.value.size === 0 && rolls.value.length === 0 ? null : (
      <div class="play">
        <Rolls />
        <Sum />
      </div>
    )}
    <section class="cards" aria-label={texts.title}>
      {[...dice.value.values()].map((die) => (
        <Card key={die.session_id} die={die} />
      ))}
    </section>
  </>
);

show({
  title: texts.title,
  devices: texts.title,
  server,
  action: <Scan label={texts.scan} busy={texts.scanning} run={scan} />,
  children: <Dice />,
});
