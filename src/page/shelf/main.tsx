/** The shelf: the clocks of a server, what they measure, and when they ring. */
import { render } from 'preact';
import type { DiscoveredClock } from '../../clock/contract.js';
import { Action } from '../action.js';
import { texts as shared } from '../texts.js';
import { TokenForm } from '../token-form.js';
import { Card, nameOf, Refused } from './card.js';
import {
  adapter,
  clocks,
  connect,
  connection,
  missed,
  newClocks,
  now,
  scan,
  scanning,
  start,
  useToken,
} from './clocks.js';
import { texts } from './texts.js';
import { nextAlarm } from './time.js';

const Found = ({ clock: { address, name, rssi } }: { readonly clock: DiscoveredClock }) => (
  <li>
    <span>
      <strong>{nameOf(name)}</strong>{' '}
      <small>
        {address}
        {rssi === null ? '' : `, ${rssi} dBm`}
      </small>
    </span>
    <Action primary label={shared.connect} run={() => connect(address)} />
    <Refused address={address} />
  </li>
);

const FoundClocks = () => {
  const some = newClocks.value;
  if (some === null) return null;
  return (
    <section class="found" aria-labelledby="found">
      <h2 id="found">{shared.foundTitle}</h2>
      {some.length === 0 ? (
        <p>{texts.nothingFound}</p>
      ) : (
        <ul>
          {some.map((clock) => (
            <Found key={clock.address} clock={clock} />
          ))}
        </ul>
      )}
    </section>
  );
};

/** Says when each clock rings next, whenever that changes. */
const Announcement = () => (
  <p class="live" aria-live="polite">
    {[...clocks.value.values()]
      .map(({ name, alarms, settings }) => {
        const next = alarms === null || settings === null ? null : nextAlarm(alarms, settings, now.value);
        return next === null ? '' : texts.ringing(nameOf(name), next);
      })
      .join(' ')}
  </p>
);

const Shelf = () => (
  <>
    <header class="top">
      <h1>{texts.title}</h1>
      <p class={`state ${connection.value}`} role="status">
        {shared.connection[connection.value]}
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
      {missed.value ? <p class="notice">{texts.missed}</p> : null}
      <FoundClocks />
      {clocks.value.size === 0 && newClocks.value === null && connection.value === 'open' ? (
        <p class="empty">{texts.empty}</p>
      ) : null}
      {[...clocks.value.values()].map((clock) => (
        <Card key={clock.address} clock={clock} />
      ))}
      <Announcement />
    </main>
  </>
);

const app = document.getElementById('app');
if (app !== null) render(<Shelf />, app);
void start();
