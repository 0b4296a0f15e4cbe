/** The page of clocks: their readings, settings and alarms. */
import { useComputed } from '@preact/signals';
import type { DiscoveredClock } from '../../clock/contract.js';
import { Found, Scan } from '../common/found.js';
import { show } from '../common/page.js';
import { connect, search } from './actions.js';
import { Card, Connect, Refused } from './card.js';
import { server } from './server.js';
import './clocks.css';
import { humidityIn, temperatureIn } from './points.js';
import { Resting } from './resting.js';
import { addresses, clocks, nameOf, now } from './state.js';
import { texts } from './texts.js';
import { nextInWords } from './time.js';

/** Announces the next alarm of each clock to screen readers, after each change. */
const Announcement = () => (
  <p class="live" aria-live="polite">
    {[...clocks.value.values()]
      .map((clock) => {
        const { alarms, settings } = clock;
        const next = alarms === null || settings === null ? null : nextInWords(alarms, settings, now.value);
        return next === null ? '' : texts.ringing(nameOf(clock), next);
      })
      .join(' ')}
  </p>
);

const Clock = ({ address }: { readonly address: string }) => {
  const clock = useComputed(() => clocks.value.get(address)).value;
  return clock === undefined ? null : <Card clock={clock} />;
};

/** The last advertised reading. */
const detailsOf = ({ advertisement }: DiscoveredClock): readonly string[] => {
  if (advertisement === null) return [];
  const { temperature, humidity, battery } = advertisement;
  return [
    temperatureIn('C', temperature),
    texts.humid(humidityIn(humidity)),
    ...(battery === null ? [] : [texts.charged(texts.percent(battery))]),
  ];
};

const Clocks = () => (
  <>
    <Found
      search={search}
      texts={texts}
      isEmpty={addresses.value.length === 0}
      nameOf={nameOf}
      connect={({ address }, signal) => connect(address, signal)}
      details={detailsOf}
    >
      {(clock) => (
        <>
          <Connect primary={search.found.value.length === 1} clock={clock} />
          <Refused address={clock.address} />
        </>
      )}
    </Found>
    <section class="clocks" aria-label={texts.title}>
      {addresses.value.map((address) => (
        <Clock key={address} address={address} />
      ))}
    </section>
    <Resting />
    <Announcement />
  </>
);

show({
  own: 'clock',
  title: texts.title,
  server,
  Action: () => <Scan search={search} label={texts.scan} isFirst={addresses.value.length === 0} />,
  Content: Clocks,
});
