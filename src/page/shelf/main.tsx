/** The shelf: the clocks of a server, what they measure, and when they ring. */
import { Action } from '../action.js';
import { Found } from '../found.js';
import { show } from '../place.js';
import { Scan } from '../scan.js';
import { connection } from '../server.js';
import { texts as shared } from '../texts.js';
import { connect, scan } from './actions.js';
import { Card, nameOf, Refused } from './card.js';
import { server } from './server.js';
import './shelf.css';
import { clocks, newClocks, now } from './state.js';
import { texts } from './texts.js';
import { nextAlarm } from './time.js';

/** Says when each clock rings next, whenever that changes. */
const Announcement = () => (
  <p class="live" aria-live="polite">
    {[...clocks.value.values()]
      .map((clock) => {
        const { alarms, settings } = clock;
        const next = alarms === null || settings === null ? null : nextAlarm(alarms, settings, now.value);
        return next === null ? '' : texts.ringing(nameOf(clock), next);
      })
      .join(' ')}
  </p>
);

const Clocks = () => (
  <>
    <Found devices={newClocks.value} nothing={texts.nothingFound} nameOf={nameOf}>
      {({ address }) => (
        <>
          <Action
            primary
            label={shared.connect}
            disabled={connection.value !== 'open'}
            run={() => connect(address)}
          />
          <Refused address={address} />
        </>
      )}
    </Found>
    {clocks.value.size === 0 && newClocks.value === null && connection.value === 'open' ? (
      <p class="empty">{texts.empty}</p>
    ) : null}
    {[...clocks.value.values()].map((clock) => (
      <Card key={clock.address} clock={clock} />
    ))}
    <Announcement />
  </>
);

show({
  title: texts.title,
  devices: texts.title,
  server,
  action: <Scan label={texts.scan} busy={texts.scanning} run={scan} />,
  children: <Clocks />,
});
