/** The device that was chosen: how it is, what can be done to it, where it is. */
import { useSignal } from '@preact/signals';
import { facesOf } from '../../dice/protocol/faces.js';
import { Action } from '../action.js';
import { Inputs } from './inputs.js';
import { step } from './place.js';
import { bodyOf, isComplete, type Entered, type Field, type Variant } from './schema.js';
import { faceUp, putInto, readingsOf, shellOf, signalOf, stateOf } from './shown.js';
import { texts } from './texts.js';
import { act, place } from './actions.js';
import { actions, chosenDevice, type Device } from './state.js';

/** Actions and fields that are for those who know the bytes. */
const RARE = ['notify', 'ending', 'roll_ms'];

/** The faces of a die are those of its shell. */
const withFaces = (field: Field, address: string): Field =>
  field.name === 'face'
    ? { ...field, kind: 'choice', choices: facesOf(shellOf(address)).map(String) }
    : field;

/** What a form begins with: how the device is. */
const usual = ({ address, model }: Device, name: string): string => {
  if (name === 'die') return shellOf(address);
  const value = name === 'level' ? (model['battery_level'] ?? model['battery']) : model[name];
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
};

/** Actions that take the same share their inputs. */
const byFields = (all: readonly Variant[], isRare: boolean): readonly (readonly Variant[])[] => {
  const groups = new Map<string, readonly Variant[]>();
  for (const action of all) {
    const key = JSON.stringify(shownFields(action, isRare));
    groups.set(key, [...(groups.get(key) ?? []), action]);
  }
  return [...groups.values()];
};

const shownFields = ({ fields }: Variant, isRare: boolean): readonly Field[] =>
  fields.filter(({ name }) => isRare || !RARE.includes(name));

const typeOf = ({ constants: { type = '' } }: Variant): string => type;

interface DoProps {
  readonly device: Device;
  /** Of the same fields. */
  readonly alike: readonly Variant[];
  readonly isRare?: boolean;
}

const Do = ({ device, alike, isRare = false }: DoProps) => {
  const entered = useSignal<Entered>({});
  const { address } = device;
  const fields = alike.slice(0, 1).flatMap((action) => shownFields(action, isRare));
  const values = {
    ...Object.fromEntries(fields.map(({ name }) => [name, usual(device, name)])),
    ...entered.value,
  };
  const bodyFor = (action: Variant): Readonly<Record<string, string | number | boolean>> => {
    const { face, ...others } = bodyOf(action, values);
    return face === undefined ? others : { ...others, face: Number(face) };
  };
  return (
    <div class="do">
      <Inputs
        fields={fields.map((field) => withFaces(field, address))}
        entered={values}
        enter={(name, value) => {
          if (name === 'die') putInto(address, value);
          const others = name === 'die' ? { ...entered.value, face: '' } : entered.value;
          entered.value = { ...others, [name]: value };
        }}
      />
      {alike.map((action) => (
        <Action
          key={typeOf(action)}
          label={texts.action(typeOf(action))}
          primary={typeOf(action) === 'roll'}
          disabled={!isComplete(action, values)}
          run={() => act(address, bodyFor(action))}
        />
      ))}
    </div>
  );
};

const Range = ({ device }: { readonly device: Device }) => {
  const { address, in_range } = device;
  return (
    <div class="do" role="group" aria-label={texts.range}>
      <Action label={texts.nearer} run={() => place(address, step(device, true))} />
      <Action
        label={texts.farther}
        disabled={in_range === false}
        run={() => place(address, step(device, false))}
      />
      {in_range === false ? (
        <Action key="back" label={texts.bringBack} run={() => place(address, { in_range: true })} />
      ) : (
        <Action key="away" label={texts.takeAway} run={() => place(address, { in_range: false })} />
      )}
    </div>
  );
};

const isRare = (action: Variant): boolean => RARE.includes(typeOf(action));

const Chosen = ({ device }: { readonly device: Device }) => {
  const { address, kind, name, model } = device;
  const known = actions.value.get(kind) ?? [];
  const usualOnes = known.filter((action) => !isRare(action));
  const face = faceUp(device);
  const say = model['rolling'] === true ? texts.rolling : face && texts.up(shellOf(address), face);
  return (
    <section class="card chosen-device" aria-labelledby="chosen">
      <header>
        <h2 id="chosen">{name === '' ? texts.name(kind) : name}</h2>
        <span class="chip">{texts.name(kind)}</span>
      </header>
      <p class="quiet">
        {address} · {signalOf(device)} · {stateOf(device)}
      </p>
      {kind === 'dice' ? (
        <p class="up" aria-live="polite">
          {say}
        </p>
      ) : null}
      <Range device={device} />
      {byFields(usualOnes, false).map((alike) => (
        <Do key={alike.map(typeOf).join()} device={device} alike={alike} />
      ))}
      <dl class="readings">
        {readingsOf(device).map(([reading, value]) => (
          <div key={reading}>
            <dt>{texts.name(reading)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>{texts.more}</summary>
        {known.filter(isRare).map((action) => (
          <Do key={typeOf(action)} device={device} alike={[action]} isRare />
        ))}
        <h3>{texts.model}</h3>
        <pre tabIndex={0}>{JSON.stringify(model, null, 2)}</pre>
      </details>
    </section>
  );
};

export const DevicePanel = () => {
  const device = chosenDevice.value;
  return device === undefined ? (
    <p class="empty">{texts.choose}</p>
  ) : (
    <Chosen key={device.address} device={device} />
  );
};
