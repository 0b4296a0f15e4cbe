/** The clocks that have a name or are to be kept connected, without a connection. */
import { Forget } from '../common/forget.js';
import { computedList } from '../common/lists.js';
import { momentOf } from '../common/moments.js';
import { forget, search } from './actions.js';
import { Connect, Refused } from './card.js';
import { clocks, fullNameOf, nameOf, records } from './state.js';
import { texts } from './texts.js';

const resting = computedList(() =>
  [...records.value.values()].filter(
    ({ address, label, keep_connected }) =>
      (label !== null || keep_connected) &&
      !clocks.value.has(address) &&
      !search.found.value.some((found) => found.address === address),
  ),
);

export const Resting = () =>
  resting.value.length === 0 ? null : (
    <section class="found" aria-labelledby="resting">
      <h2 id="resting">{texts.restingTitle}</h2>
      <ul>
        {resting.value.map((record) => (
          <li key={record.address}>
            <span class="about">
              <strong>{nameOf(record)}</strong>{' '}
              <small>
                {record.address}, {texts.lastHeard(momentOf(record.last_seen))}
              </small>
            </span>
            <Connect clock={record} />
            <Forget name={fullNameOf(record)} loss={texts.forgotten} run={() => forget(record.address)} />
            <Refused address={record.address} />
          </li>
        ))}
      </ul>
    </section>
  );
