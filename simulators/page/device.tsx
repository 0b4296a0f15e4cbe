/** The chosen device: its state, its actions and its position. */
import { useSignal } from '@preact/signals';
import { facesOf } from '../../src/protocols/dice-values.js';
import { Action } from '../../src/page/common/action.js';
import { goOnAt } from '../../src/page/common/browser.js';
import { Readings } from '../../src/page/common/controls.js';
import { linkFrom } from '../../src/page/common/navigation.js';
import { step } from './map-position.js';
import { Form, Inputs } from './form.js';
import {
  bodyOf,
  isComplete,
  isObject,
  writtenOf,
  type Body,
  type Entered,
  type Field,
  type Variant,
} from './schema.js';
import { asksForPasskey, characteristicsOf, Pairing, Values } from './services.js';
import {
  dieTypeOf,
  faceUp,
  knowsType,
  ledsOf,
  nameOf,
  pageOf,
  putInto,
  readingsOf,
  shortOf,
  signalOf,
  stateOf,
  isLit,
} from './shown.js';
import { texts } from './texts.js';
import { act, behave, moveDevice, remove } from './actions.js';
import { acted, chosen, chosenDevice, inOrder, kinds, type Device } from './state.js';

/** The width of an LED with its margin, in the units of the drawing. */
const STEP = 12;

export const Leds = ({ colors }: { readonly colors: readonly string[] }) => (
  <svg
    class="leds"
    width={colors.length * STEP}
    height={STEP}
    role="img"
    aria-label={texts.leds(colors.filter(isLit).length, colors.length)}
  >
    {colors.map((color, index) => (
      <circle
        key={index}
        class={isLit(color) ? '' : 'dark'}
        cx={(index + 0.5) * STEP}
        cy={STEP / 2}
        r="4.5"
        fill={`#${color}`}
      />
    ))}
  </svg>
);

/** Actions and fields for people who know the bytes. */
const RARE = ['notify', 'ending', 'roll_ms'];

/** Limits a field to the faces of the die's type, or to the characteristics of the device. */
const withChoices = (field: Field, device: Device): Field => {
  const type = dieTypeOf(device);
  const characteristics = characteristicsOf(device);
  if (field.name === 'characteristic' && characteristics.length > 0)
    return { ...field, kind: 'choice', choices: characteristics };
  return field.name === 'face' && type !== undefined
    ? { ...field, kind: 'choice', choices: facesOf(type).map(String) }
    : field;
};

/** The first value of a field: the state of the device. */
const usual = (device: Device, name: string): string => {
  const { model } = device;
  if (name === 'die') return dieTypeOf(device) ?? '';
  if (name === 'face') return '';
  if (name === 'characteristic') return characteristicsOf(device)[0] ?? '';
  if (name === 'secs') return '1';
  if (name === 'on') return writtenOf(model['charging']);
  return writtenOf(name === 'level' ? (model['battery_level'] ?? model['battery']) : model[name]);
};

/** Groups actions with equal fields, which share their inputs. */
const byFields = (all: readonly Variant[], isRare: boolean): readonly (readonly Variant[])[] => {
  const groups = new Map<string, readonly Variant[]>();
  for (const action of all) {
    const key = JSON.stringify(shownFields(action, isRare));
    groups.set(key, [...(groups.get(key) ?? []), action]);
  }
  return [...groups.values()];
};

const shownFields = ({ fields }: Variant, isRare: boolean): readonly Field[] =>
  fields.filter(({ name, kind }) => kind !== 'json' && (isRare || !RARE.includes(name)));

const typeOf = ({ constants: { type = '' } }: Variant): string => type;

interface DoProps {
  readonly device: Device;
  /** Actions with the same fields. */
  readonly alike: readonly Variant[];
  readonly isRare?: boolean;
}

const Do = ({ device, alike, isRare = false }: DoProps) => {
  const entered = useSignal<Entered>({});
  const { address } = device;
  const fields = alike
    .slice(0, 1)
    .flatMap((action) => shownFields(action, isRare))
    .filter(({ name }) => name !== 'die' || !knowsType(device));
  const values = {
    ...Object.fromEntries(fields.map(({ name }) => [name, usual(device, name)])),
    ...entered.value,
  };
  const bodyFor = (action: Variant): Body => {
    const { face, ...body } = bodyOf(action, values);
    return face === undefined ? body : { ...body, face: Number(face) };
  };
  return (
    <div class="do">
      <Inputs
        fields={fields.map((field) => withChoices(field, device))}
        entered={values}
        enter={(name, value) => {
          if (name === 'die') putInto(address, value);
          const values = name === 'die' ? { ...entered.value, face: '' } : entered.value;
          entered.value = { ...values, [name]: value };
        }}
      />
      {alike.map((action) => (
        <Action
          key={typeOf(action)}
          label={texts.action(typeOf(action))}
          primary={typeOf(action) === 'roll'}
          disabled={!isComplete(action, values)}
          run={() => act(address, typeOf(action), bodyFor(action))}
        />
      ))}
    </div>
  );
};

const Range = ({ device }: { readonly device: Device }) => {
  const { address, in_range } = device;
  const isAway = in_range === false;
  return (
    <div class="do" role="group" aria-label={texts.range}>
      <Action label={texts.nearer} run={() => moveDevice(address, step(device, true))} />
      <Action label={texts.farther} disabled={isAway} run={() => moveDevice(address, step(device, false))} />
      <Action
        label={isAway ? texts.bringBack : texts.takeAway}
        run={() => moveDevice(address, { in_range: isAway })}
      />
    </div>
  );
};

/** The last action on the device, and whether a host can have noticed it. */
const Done = ({ device: { address, connected } }: { readonly device: Device }) => {
  const last = acted.value;
  return (
    <p class="quiet did" role="status">
      {last?.address === address ? texts.did(texts.action(last.type), connected) : ''}
    </p>
  );
};

interface BehaviourProps {
  readonly device: Device;
  /** The fields of the behaviour. */
  readonly of: Variant;
}

const Behaviour = ({ device: { address, model }, of }: BehaviourProps) => {
  const inForce = isObject(model['behaviour']) ? model['behaviour'] : {};
  const current = Object.fromEntries(of.fields.map(({ name }) => [name, writtenOf(inForce[name])]));
  const unusual = of.fields.filter(({ name, usual }) => current[name] !== usual);
  return (
    <details>
      <summary>
        {texts.behaviour} <small>{texts.misbehaves(unusual.map(({ name }) => texts.name(name)))}</small>
      </summary>
      <Form of={of} current={current} label={texts.set} run={(body) => behave(address, body)}>
        <Action label={texts.behaveAsUsual} run={() => behave(address, {})} />
      </Form>
    </details>
  );
};

/** Actions on a characteristic are never rare: their bytes differ. */
const isRare = (action: Variant): boolean =>
  RARE.includes(typeOf(action)) && !action.fields.some(({ name }) => name === 'characteristic');

/** The actions of a person during pairing; a comparison has its own buttons. */
const PAIRING = ['passkey', 'confirm'];

const isPossible = (action: Variant, device: Device): boolean =>
  !PAIRING.includes(typeOf(action)) || (typeOf(action) === 'passkey' && asksForPasskey(device));

/** A link to the page of the device's server, where the rig has one. */
const PageLink = ({ device }: { readonly device: Device }) => {
  const page = pageOf(device);
  const url = page === undefined ? null : linkFrom('simulator', page);
  return page === undefined || url === null ? null : (
    <p>
      <a href={url}>{texts.onPage[page]}</a>
    </p>
  );
};

const Chosen = ({ device }: { readonly device: Device }) => {
  const { address, kind, model } = device;
  const { actions = [], behaviour } = kinds.value.get(kind) ?? {};
  const usualActions = actions.filter((action) => !isRare(action) && isPossible(action, device));
  const type = dieTypeOf(device);
  const face = faceUp(device);
  const leds = ledsOf(device);
  return (
    <section class="card" aria-labelledby="chosen">
      <header>
        <h2 id="chosen" tabIndex={-1}>
          {nameOf(device)}
        </h2>
        <span class="chip">{texts.name(kind)}</span>
      </header>
      <p class="quiet">
        {address} · {signalOf(device)} · {stateOf(device)}
      </p>
      <PageLink device={device} />
      {type === undefined ? null : (
        <p class="up" aria-live="polite">
          {face === undefined ? texts.rolling : texts.up(type, face)}
        </p>
      )}
      {leds.length === 0 ? null : <Leds colors={leds} />}
      <Range device={device} />
      <Pairing device={device} />
      {byFields(usualActions, false).map((alike) => (
        <Do key={alike.map(typeOf).join()} device={device} alike={alike} />
      ))}
      <Done device={device} />
      <Values device={device} />
      <Readings class="readings" of={readingsOf(device)} />
      {behaviour === undefined ? null : <Behaviour device={device} of={behaviour} />}
      <details>
        <summary>{texts.more}</summary>
        {actions.filter(isRare).map((action) => (
          <Do key={typeOf(action)} device={device} alike={[action]} isRare />
        ))}
        <h3>{texts.model}</h3>
        <pre tabIndex={0}>{JSON.stringify(model, null, 2)}</pre>
      </details>
      <div class="do">
        <Action
          label={texts.remove}
          run={async () => {
            const failure = await remove(address);
            if (failure === null) goOnAt('chosen', 'nobody');
            return failure;
          }}
        />
      </div>
    </section>
  );
};

const Choice = () => (
  <label class="which">
    <span>{texts.which}</span>
    <select value={chosen.value ?? ''} onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}>
      {inOrder.value.map((device) => (
        <option key={device.address} value={device.address}>
          {texts.option(shortOf(device), texts.name(device.kind), device.name)}
        </option>
      ))}
    </select>
  </label>
);

export const DevicePanel = () => {
  const device = chosenDevice.value;
  return (
    <div class="chosen-device">
      <Choice />
      {device === undefined ? (
        <p class="empty">{texts.choose}</p>
      ) : (
        <Chosen key={device.address} device={device} />
      )}
    </div>
  );
};
