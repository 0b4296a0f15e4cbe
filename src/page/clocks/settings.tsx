/** The settings of a clock as a form that lists its unsaved changes. */
import { useSignal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Settable, Settings, SettingsChange } from '../../clock/contract.js';
import { CUSTOM_SIGNATURES, parseTimeOfDay, RINGTONES } from '../../protocols/cgd1/settings.js';
import { keysOf } from '../../contract/index.js';
import { Action } from '../common/action.js';
import { UNREADABLE } from '../common/api.js';
import { Checkbox } from '../common/controls.js';
import { writeSettings } from './actions.js';
import { namedFor } from '../common/texts.js';
import { fullNameOf, type ClockView } from './state.js';
import { rangeIn, schemaAt } from './range.js';
import { texts } from './texts.js';
import { inWords as timeInWords } from './time.js';
import { TimeInput } from './time-input.js';
import { NO_ZONE, ZoneSelect } from './zone-select.js';

type Name = keyof typeof texts.setting;
type Value = string | number | boolean;

const NAMES = keysOf<Name>(texts.setting);

const Choice = t.type({ enum: t.array(t.string) });

const TONES: readonly (readonly [signature: string, name: string])[] = [
  ...Object.entries(RINGTONES).map(([name, signature]) => [signature, name] as const),
  ...CUSTOM_SIGNATURES.map((signature) => [signature, `${texts.ownTone} (${signature})`] as const),
];

const CHOICES: ReadonlyMap<string, string> = new Map(Object.entries(texts.choice));

const toneName = (signature: string): string =>
  TONES.find(([toneSignature]) => toneSignature === signature)?.[1] ?? signature;

/** The schema of a setting; the range for clients takes precedence over the wider range of a clock. */
const schemaOf = (name: Name): unknown =>
  schemaAt(Settable, 'command', 'settings', name) ?? schemaAt(Settings, name);

/** The text of an input; empty for NaN, the value of an input without a number. */
const inField = (value: Value): string => (Number.isNaN(value) ? '' : String(value));

const isTime = (name: Name): boolean => name === 'night_start' || name === 'night_end';

const inWords = (name: Name, value: Value, format: Settings['time_format']): string => {
  if (typeof value === 'boolean') return value ? texts.on : texts.off;
  if (isTime(name)) return timeInWords(parseTimeOfDay(String(value)), format);
  const { unit } = texts.setting[name];
  if (name === 'timezone') return value === NO_ZONE ? texts.noZone : String(value);
  const text = name === 'ringtone' ? toneName(String(value)) : (CHOICES.get(String(value)) ?? inField(value));
  return unit === '' ? text : `${text} ${unit}`;
};

interface ControlProps {
  readonly name: Name;
  readonly format: Settings['time_format'];
  readonly value: Value;
  readonly disabled: boolean;
  readonly change: (value: Value) => void;
}

const Control = ({ name, format, value, disabled, change }: ControlProps) => {
  const schema = schemaOf(name);
  const range = rangeIn(schema);
  if (typeof value === 'boolean') return <Checkbox checked={value} disabled={disabled} change={change} />;
  if (name === 'timezone') return <ZoneSelect value={String(value)} disabled={disabled} change={change} />;
  if (range !== null) {
    return (
      <input
        type="number"
        required
        {...range}
        value={inField(value)}
        disabled={disabled}
        onInput={({ currentTarget: { valueAsNumber } }) => change(valueAsNumber)}
      />
    );
  }
  if (name === 'ringtone' || Choice.is(schema)) {
    const choices = Choice.is(schema) ? schema.enum : TONES.map(([signature]) => signature);
    const all = choices.includes(String(value)) ? choices : [...choices, String(value)];
    return (
      <select
        value={String(value)}
        disabled={disabled}
        onChange={(event) => change(event.currentTarget.value)}
      >
        {all.map((choice) => (
          <option key={choice} value={choice}>
            {inWords(name, choice, format)}
          </option>
        ))}
      </select>
    );
  }
  return (
    <TimeInput
      label={texts.setting[name].label}
      value={String(value)}
      format={format}
      disabled={disabled}
      change={change}
    />
  );
};

interface FieldProps extends ControlProps {
  readonly isChanged: boolean;
}

const Field = ({ isChanged, ...control }: FieldProps) => {
  const { label, unit } = texts.setting[control.name];
  return (
    <label class={isChanged ? 'changed' : ''}>
      <span>
        {label}
        {unit === '' ? '' : ` (${unit})`}
      </span>
      <Control {...control} />
    </label>
  );
};

interface ChangeProps {
  readonly name: Name;
  readonly format: Settings['time_format'];
  readonly from: Value;
  readonly to: Value;
}

const Change = ({ name, format, from, to }: ChangeProps) => (
  <li>
    {texts.setting[name].label}: <del>{inWords(name, from, format)}</del> {texts.becomes}{' '}
    <ins>{inWords(name, to, format)}</ins>
  </li>
);

/** A value as requests have it. */
const inRequest = (name: Name, value: Value): Value | null =>
  name === 'timezone' && value === NO_ZONE ? null : value;

export const SettingsForm = ({ clock }: { readonly clock: ClockView }) => {
  const { address, settings, linked } = clock;
  const draft = useSignal<Partial<Readonly<Record<Name, Value>>>>({});
  if (settings === null) return <p>{texts.reading}</p>;

  const current: Readonly<Record<Name, Value>> = {
    ...Settings.encode(settings),
    timezone: settings.timezone ?? NO_ZONE,
  };
  const valueOf = (name: Name): Value => draft.value[name] ?? current[name];
  /** The offset follows the zone, if there is one. */
  const names = NAMES.filter((name) => name !== 'timezone_offset_minutes' || valueOf('timezone') === NO_ZONE);
  const changed = names.filter((name) => valueOf(name) !== current[name]);

  const write = async () => {
    const change = SettingsChange.decode(
      Object.fromEntries(changed.map((name) => [name, inRequest(name, valueOf(name))])),
    );
    if (E.isLeft(change)) return UNREADABLE;
    const failure = await writeSettings(address, change.right);
    if (failure === null) draft.value = {};
    return failure;
  };

  return (
    <form class="settings" aria-label={namedFor(texts.settings, fullNameOf(clock))}>
      <div class="fields">
        {names.map((name) => (
          <Field
            key={name}
            name={name}
            format={settings.time_format}
            value={valueOf(name)}
            isChanged={changed.includes(name)}
            disabled={!linked}
            change={(value) => (draft.value = { ...draft.value, [name]: value })}
          />
        ))}
      </div>
      {changed.length === 0 ? (
        <p class="quiet-text">{texts.unchanged}</p>
      ) : (
        <>
          <h4>{texts.changes}</h4>
          <ul class="changes">
            {changed.map((name) => (
              <Change
                key={name}
                name={name}
                format={settings.time_format}
                from={current[name]}
                to={valueOf(name)}
              />
            ))}
          </ul>
          <div class="actions">
            <Action
              primary
              submits
              label={texts.write(changed.length)}
              of={fullNameOf(clock)}
              disabled={!linked}
              run={write}
            />
            <button
              type="button"
              aria-label={namedFor(texts.discard, fullNameOf(clock))}
              onClick={() => (draft.value = {})}
            >
              {texts.discard}
            </button>
          </div>
        </>
      )}
    </form>
  );
};
