/** The air: a simulated world, who is in it, and what can happen to them. */
import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { DevicePanel } from './device.js';
import { Faults } from './faults.js';
import { AirMap } from './map.js';
import { Chaos, Curl, Violations } from './panels.js';
import { Trace } from './packets.js';
import { texts } from './texts.js';
import { connection, devices, start, useToken } from './world.js';

const TokenForm = () => {
  const given = useSignal('');
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        useToken(given.value.trim());
      }}
    >
      <label>
        {texts.tokenLabel}
        <input
          type="password"
          autocomplete="current-password"
          required
          value={given.value}
          onInput={({ currentTarget }) => (given.value = currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        {texts.tokenUse}
      </button>
      <p>{texts.tokenHint}</p>
    </form>
  );
};

const World = () => (
  <>
    <div class="world">
      <AirMap />
      {devices.value.size === 0 ? <p class="empty">{texts.empty}</p> : <DevicePanel />}
    </div>
    <Curl />
    <div class="panels">
      <Faults />
      <Chaos />
      <Violations />
    </div>
    <Trace />
  </>
);

const Air = () => (
  <>
    <header class="top">
      <h1>{texts.title}</h1>
      <p class={`state ${connection.value}`} role="status">
        {texts.connection[connection.value]}
      </p>
    </header>
    <main class="air">
      {connection.value === 'token' ? <TokenForm /> : null}
      {connection.value === 'open' || devices.value.size > 0 ? <World /> : null}
    </main>
  </>
);

const app = document.getElementById('app');
if (app !== null) render(<Air />, app);
void start();
