/** A device by services: its values, and the part of a person in its pairing. */
import { Action } from '../../src/page/common/action.js';
import { Readings } from '../../src/page/common/controls.js';
import { act } from './actions.js';
import { isObject, writtenOf } from './schema.js';
import type { Device } from './state.js';
import { texts } from './texts.js';

const DIGITS = 6;

/** The ids of the characteristics of a described device; empty for other kinds. */
export const characteristicsOf = ({ model: { services } }: Device): readonly string[] =>
  (Array.isArray(services) ? services : []).flatMap((service: unknown) =>
    isObject(service) && Array.isArray(service['characteristics'])
      ? service['characteristics'].map(String)
      : [],
  );

export const asksForPasskey = ({ model: { pairing } }: Device): boolean =>
  isObject(pairing) && pairing['asks'] === 'passkey';

export const Values = ({ device }: { readonly device: Device }) => {
  const { values, subscribed } = device.model;
  if (!isObject(values)) return null;
  const subscribedIds = Array.isArray(subscribed) ? subscribed : [];
  const named = characteristicsOf(device).map((id) => {
    const hex = String(values[id]);
    return [texts.value(id, subscribedIds.includes(id)), hex === '' ? texts.emptyValue : hex] as const;
  });
  if (named.length === 0) return null;
  return (
    <section aria-label={texts.values} class="values">
      <Readings class="readings" of={named} />
    </section>
  );
};

export const Pairing = ({ device }: { readonly device: Device }) => {
  const { address, model } = device;
  const { pairing } = model;
  if (!isObject(pairing)) return null;
  const shown = writtenOf(pairing['number'] ?? pairing['passkey']).padStart(DIGITS, '0');
  if (pairing['asks'] === 'passkey') return <p role="status">{texts.asksPasskey}</p>;
  return (
    <>
      <p role="status">
        {pairing['asks'] === 'nothing' ? texts.showsPasskey : texts.asksSame}{' '}
        <strong class="asks">{shown}</strong>
      </p>
      {pairing['asks'] === 'nothing' ? null : (
        <div class="do">
          {[true, false].map((same) => (
            <Action
              key={same}
              primary={same}
              label={same ? texts.same : texts.notSame}
              run={() => act(address, 'confirm', { type: 'confirm', same })}
            />
          ))}
        </div>
      )}
    </>
  );
};
