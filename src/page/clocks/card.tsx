/** One clock: its display and all its actions. */
import { Action } from '../common/action.js';
import { Disconnect } from '../common/disconnect.js';
import { Forget } from '../common/forget.js';
import { Name } from '../common/name.js';
import { connection } from '../common/server.js';
import { namedFor, texts as shared } from '../common/texts.js';
import { Toggle } from '../common/toggle.js';
import { Alarms } from './alarms.js';
import { connect, disconnect, forget, keepConnected, setLabel, syncTime } from './actions.js';
import { addresses, fullNameOf, labelOf, plainNameOf, records, refused, type ClockView } from './state.js';
import { Curves } from './curves.js';
import { Brightness, Lcd } from './lcd.js';
import { SettingsForm } from './settings.js';
import { texts } from './texts.js';
import { ToneForm } from './tone-form.js';

export const Refused = ({ address }: { readonly address: string }) =>
  refused.value.has(address) ? (
    <div class="notice" role="alert">
      <strong>{texts.refusedTitle}</strong>
      <ol>
        {texts.refused.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </div>
  ) : null;

interface ConnectProps {
  readonly clock: Pick<ClockView, 'address' | 'name'>;
  readonly primary?: boolean;
}

/** A clock with a card may have a session, which would end with the attempt to connect. */
export const Connect = ({ clock, primary = false }: ConnectProps) => (
  <Action
    mayEnd={!addresses.value.includes(clock.address)}
    primary={primary}
    label={shared.connect}
    of={fullNameOf(clock)}
    disabled={connection.value !== 'open'}
    run={(signal) => connect(clock.address, signal)}
  />
);

interface OfClock {
  readonly clock: ClockView;
}

/** The name of a clock, its address and signal, and its connection. */
const Head = ({ clock }: OfClock) => {
  const { address, rssi, linked } = clock;
  return (
    <header>
      <div>
        <Name
          address={address}
          label={labelOf(clock)}
          name={plainNameOf(clock)}
          fullName={fullNameOf(clock)}
          rename={(label) => setLabel(address, label)}
        />
        <small>
          <span>
            {address}
            {rssi === null ? '' : ','}
          </span>{' '}
          {rssi === null ? null : <span>{shared.dbm(rssi)}</span>}
        </small>
      </div>
      <div class="actions">
        {linked ? null : <Connect primary clock={clock} />}
        <Disconnect
          name={fullNameOf(clock)}
          disabled={connection.value !== 'open'}
          run={() => disconnect(address)}
        />
      </div>
    </header>
  );
};

export const Card = ({ clock }: OfClock) => {
  const { address, linked, firmware, timeSet } = clock;
  const isOpen = connection.value === 'open';
  const fullName = fullNameOf(clock);
  return (
    <article class={`card clock${linked ? '' : ' away'}`} aria-label={fullName}>
      <Head clock={clock} />
      {linked || !isOpen ? null : <p class="notice">{texts.away}</p>}
      <Refused address={address} />
      <div class="columns">
        <section>
          <Lcd clock={clock} />
          <Brightness clock={clock} />
          <div class="actions">
            <Action
              label={texts.sync}
              of={fullName}
              title={texts.syncHint}
              disabled={!linked}
              run={() => syncTime(address)}
            />
            <small role="status">{timeSet ? texts.synced : texts.notSet}</small>
          </div>
        </section>
        <section>
          <h3>{texts.alarms}</h3>
          <Alarms clock={clock} />
        </section>
      </div>
      <details open={addresses.value.length === 1}>
        <summary aria-label={namedFor(texts.curves, fullName)}>{texts.curves}</summary>
        <Curves clock={clock} />
      </details>
      <details>
        <summary aria-label={namedFor(texts.settings, fullName)}>{texts.settings}</summary>
        <SettingsForm clock={clock} />
        <p class="quiet-text">
          {texts.firmware} {firmware ?? shared.unknown}
        </p>
        <div class="actions">
          <Toggle
            label={shared.keepConnected}
            of={fullName}
            checked={records.value.get(address)?.keep_connected === true}
            set={(isKept) => keepConnected(address, isKept)}
          />
          <Forget name={fullName} loss={texts.forgotten} run={() => forget(address)} />
        </div>
      </details>
      <details>
        <summary aria-label={namedFor(texts.tone, fullName)}>{texts.tone}</summary>
        <ToneForm clock={clock} />
      </details>
    </article>
  );
};
