/** The air between devices and hosts, the controllers of the hosts, and Bluetooth proxies. */
import { Action } from '../../src/page/common/action.js';
import { addProxy, power, removeProxy, setAir, unplug } from './actions.js';
import { Form } from './form.js';
import { variantsOf, writtenOf } from './schema.js';
import { adapters, air, proxies, rows } from './state.js';
import { texts } from './texts.js';

const [SETTINGS = { constants: {}, fields: [] }] = variantsOf(rows.setAir.body.schema.input);

const [NEW = { constants: {}, fields: [] }] = variantsOf(rows.addProxy.body.schema.input);

const Proxies = () => (
  <>
    <h3>{texts.proxies}</h3>
    {proxies.value.length === 0 ? (
      <p class="quiet">{texts.noProxies}</p>
    ) : (
      <ul class="list">
        {proxies.value.map(({ name, port, up, free, slots }) => (
          <li key={name}>
            <span>
              <strong>{name}</strong> {up ? texts.freeSlots(free, slots) : texts.off}
              <small> {texts.port(port)}</small>
            </span>
            <Action label={texts.removeProxy} of={name} run={() => removeProxy(name)} />
          </li>
        ))}
      </ul>
    )}
    <details>
      <summary>{texts.anotherProxy}</summary>
      <Form of={NEW} label={texts.addProxy} run={addProxy} />
    </details>
  </>
);

export const Radio = () => (
  <section class="card" aria-labelledby="radio">
    <h2 id="radio">{texts.adapters}</h2>
    {adapters.value.length === 0 ? (
      <p class="quiet">{texts.noAdapters}</p>
    ) : (
      <ul class="list">
        {adapters.value.map(({ id, address, powered, links }) => (
          <li key={id}>
            <span>
              <strong>{id}</strong> {powered ? texts.links(links) : texts.off}
              <small> {address}</small>
            </span>
            <div class="actions">
              <Action
                label={powered ? texts.switchOff : texts.switchOn}
                of={id}
                run={() => power(id, !powered)}
              />
              <Action label={texts.unplug} of={id} run={() => unplug(id)} />
            </div>
          </li>
        ))}
      </ul>
    )}
    <Proxies />
    <h3>{texts.radio}</h3>
    <Form
      of={SETTINGS}
      current={Object.fromEntries(
        Object.entries(air.value ?? {}).map(([name, value]) => [name, writtenOf(value)]),
      )}
      label={texts.set}
      run={setAir}
    />
  </section>
);
