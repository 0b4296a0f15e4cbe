/** The page of dice: their rolls, lights and shells. */
import { computed } from '@preact/signals';
import { Action } from '../common/action.js';
import { Choices } from '../common/controls.js';
import { Found, Scan } from '../common/found.js';
import { computedList } from '../common/lists.js';
import { show } from '../common/page.js';
import { connect, rollAll, search } from './actions.js';
import { Card, QuietCard } from './card.js';
import { Connect, detailsOf, Picture } from './connect.js';
import { Histograms } from './histogram.js';
import { useDie } from './parts.js';
import { Rolls } from './rolls.js';
import { server } from './server.js';
import '../common/shells.css';
import { addresses, canRoll, isEmpty, nameOf, rolls, view } from './state.js';
import { Sum } from './sum.js';
import { Table } from './table.js';
import './dice.css';
import './cards.css';
import './table.css';
import './rolls.css';
import { texts } from './texts.js';

const Die = ({ address }: { readonly address: string }) => {
  const { die, record } = useDie(address);
  if (die !== undefined) return <Card die={die} />;
  return record === undefined ? null : <QuietCard record={record} />;
};

const Cards = () => (
  <div class="cards">
    {addresses.value.map((address) => (
      <Die key={address} address={address} />
    ))}
  </div>
);

const Views = () => (
  <Choices
    label={texts.view}
    class="views"
    chosen={view.value}
    names={texts.views}
    choose={(name) => (view.value = name)}
  />
);

const Toolbar = () => {
  const hasDice = addresses.value.length > 0;
  const canRollAll = canRoll.value && (!isEmpty.value || search.found.value.length > 0);
  return hasDice || canRollAll ? (
    <div class="toolbar">
      {hasDice ? <Views /> : null}
      {canRollAll ? <Action primary mayEnd label={texts.rollAll} run={rollAll} /> : null}
    </div>
  ) : null;
};

const hasRolls = computed(() => rolls.value.length > 0);

/** The found dice that have no card. */
const found = computedList(() =>
  search.found.value.filter(({ address }) => !addresses.value.includes(address)),
);

const Dice = () => {
  const hasDice = addresses.value.length > 0;
  return (
    <>
      <Toolbar />
      <Found
        search={search}
        listed={found}
        texts={texts}
        isEmpty={isEmpty.value}
        nameOf={nameOf}
        picture={(die) => <Picture die={die} />}
        details={detailsOf}
        connect={connect}
      >
        {(die) => <Connect die={die} />}
      </Found>
      {hasDice || hasRolls.value ? (
        <div class="play">
          {hasDice ? (
            <section aria-label={texts.title}>{view.value === 'cards' ? <Cards /> : <Table />}</section>
          ) : null}
          <div class="side">
            <Sum />
            <Rolls />
          </div>
          <Histograms />
        </div>
      ) : null}
    </>
  );
};

show({
  own: 'dice',
  title: texts.title,
  server,
  Action: () => <Scan search={search} label={texts.scan} isFirst={isEmpty.value} />,
  Content: Dice,
});
