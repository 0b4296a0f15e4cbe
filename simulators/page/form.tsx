/** An input for each field of a body, and a form that sends the body. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { Action } from '../../src/page/common/action.js';
import type { Outcome } from '../../src/page/common/api.js';
import { Checkbox } from '../../src/page/common/controls.js';
import { bodyOf, isComplete, listIn, type Body, type Entered, type Field, type Variant } from './schema.js';
import { texts } from './texts.js';

interface InputsProps {
  readonly fields: readonly Field[];
  readonly entered: Entered;
  readonly enter: (name: string, value: string) => void;
}

interface InputProps {
  readonly field: Field;
  readonly value: string;
  readonly enter: (value: string) => void;
}

const placeholderOf = ({ minimum, maximum, isRequired, usual }: Field): string => {
  if (minimum !== undefined && maximum !== undefined) return texts.between(minimum, maximum);
  return usual !== '' || isRequired ? usual : texts.any;
};

/** Whether a field is optional and has no usual value. */
const isOpen = ({ isRequired, usual }: Field): boolean => !isRequired && usual === '';

const Input = ({ field, value, enter }: InputProps) => {
  const { kind, choices, minimum, maximum, isWhole, isRequired } = field;
  if (kind === 'boolean' && isOpen(field)) {
    return (
      <select value={value} onChange={({ currentTarget }) => enter(currentTarget.value)}>
        <option value="">{texts.any}</option>
        <option value="true">{texts.yes}</option>
        <option value="false">{texts.no}</option>
      </select>
    );
  }
  if (kind === 'boolean') {
    const isChecked = (value === '' ? field.usual : value) === 'true';
    return <Checkbox checked={isChecked} change={(checked) => enter(String(checked))} />;
  }
  if (kind === 'choice') {
    return (
      <select value={value} onChange={({ currentTarget }) => enter(currentTarget.value)}>
        {isRequired ? null : <option value="">{field.usual === '' ? texts.any : texts.usual}</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {texts.choice(choice)}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'json') {
    return (
      <textarea
        rows={4}
        spellcheck={false}
        value={value}
        placeholder={texts.json}
        onInput={({ currentTarget }) => enter(currentTarget.value)}
      />
    );
  }
  const common = {
    value,
    placeholder: placeholderOf(field),
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => enter(currentTarget.value),
  };
  return kind === 'number' ? (
    <input type="number" min={minimum} max={maximum} step={isWhole ? 1 : 'any'} {...common} />
  ) : (
    <input {...common} />
  );
};

/** Checkboxes for the choices of a list. */
const Choices = ({ field: { name, choices }, value, enter }: InputProps) => {
  const chosen = listIn(value);
  return (
    <fieldset>
      <legend>{texts.name(name)}</legend>
      {choices.map((choice) => (
        <label key={choice} class="boolean">
          <span>{texts.choice(choice)}</span>
          <Checkbox
            checked={chosen.includes(choice)}
            change={(checked) =>
              enter(choices.filter((name) => (name === choice ? checked : chosen.includes(name))).join(' '))
            }
          />
        </label>
      ))}
    </fieldset>
  );
};

const classOf = (field: Field): string => (field.kind === 'boolean' && isOpen(field) ? 'choice' : field.kind);

export const Inputs = ({ fields, entered, enter }: InputsProps) => (
  <>
    {fields.map((field) => {
      const inputProps = {
        field,
        value: entered[field.name] ?? '',
        enter: (value: string) => enter(field.name, value),
      };
      return field.kind === 'list' && field.choices.length > 0 ? (
        <Choices key={field.name} {...inputProps} />
      ) : (
        <label key={field.name} class={classOf(field)}>
          <span>{texts.name(field.name)}</span>
          <Input {...inputProps} />
        </label>
      );
    })}
  </>
);

export interface FormProps {
  readonly of: Variant;
  /** The present values. */
  readonly current?: Entered;
  readonly label: string;
  readonly primary?: boolean;
  readonly run: (body: Body) => Outcome;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

export const Form = ({ of, current = {}, label, primary = false, run, children }: FormProps) => {
  const entered = useSignal<Entered>({});
  const values = { ...current, ...entered.value };
  const send = async (): Outcome => {
    const failure = await run(bodyOf(of, values));
    if (failure === null) entered.value = {};
    return failure;
  };
  return (
    <div class="fields">
      <Inputs
        fields={of.fields}
        entered={values}
        enter={(name, value) => (entered.value = { ...entered.value, [name]: value })}
      />
      <div class="actions">
        <Action label={label} primary={primary} disabled={!isComplete(of, values)} run={send} />
        {children}
      </div>
    </div>
  );
};
