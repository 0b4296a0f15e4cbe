/** The Bluetooth proxies on the radio. */
import { Action } from '../../src/page/common/action.js';
import { addProxy, removeProxy } from './actions.js';
import { Form } from './form.js';
import { variantsOf } from './schema.js';
import { proxies, rows } from './state.js';
import { texts } from './texts.js';

const [NEW = { constants: {}, fields: [] }] = variantsOf(rows.addProxy.body.schema.input);

export const Proxies = () => (
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
