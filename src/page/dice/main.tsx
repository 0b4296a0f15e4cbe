/** The page of dice: their rolls, lights and shells. */
import { computed, useComputed } from '@preact/signals';
import { Found, Scan } from '../common/found.js';
import { show } from '../common/page.js';
import { connectAll, search } from './actions.js';
import { Card, nameOf } from './card.js';
import { Connect, detailsOf, Picture } from './connect.js';
import { Rolls } from './rolls.js';
import { server } from './server.js';
import '../common/shells.css';
import { dice, rolls, sessions } from './state.js';
import { Sum } from './sum.js';
import './dice.css';
import { texts } from './texts.js';

const Die = ({ session }: { readonly session: string }) => {
  const die = useComputed(() => dice.value.get(session)).value;
  return die === undefined ? null : <Card die={die} />;
};

const hasRolls = computed(() => rolls.value.length > 0);

const Dice = () => {
  const isEmpty = sessions.value.length === 0;
  return (
    <>
      <Found
        search={search}
        texts={texts}
        isEmpty={isEmpty}
        nameOf={nameOf}
        picture={(die) => <Picture die={die} />}
        details={detailsOf}
        connectAll={connectAll}
      >
        {(die) => <Connect die={die} />}
      </Found>
      {isEmpty && !hasRolls.value ? null : (
        <div class="play">
          <Rolls />
          <Sum />
        </div>
      )}
      <section class="cards" aria-label={texts.title}>
        {sessions.value.map((session) => (
          <Die key={session} session={session} />
        ))}
      </section>
    </>
  );
};

show({
  own: 'dice',
  title: texts.title,
  server,
  Action: () => <Scan search={search} label={texts.scan} busy={texts.scanning} />,
  Content: Dice,
});
