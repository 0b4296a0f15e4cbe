/** An input for each field of a body. */
import type { TargetedInputEvent } from 'preact';
import type { Entered, Field } from './schema.js';
import { texts } from './texts.js';

export interface InputsProps {
  readonly fields: readonly Field[];
  readonly entered: Entered;
  readonly enter: (name: string, value: string) => void;
}

interface InputProps {
  readonly field: Field;
  readonly value: string;
  readonly enter: (value: string) => void;
}

const placeholderOf = ({ minimum, maximum, isRequired }: Field): string => {
  if (minimum !== undefined && maximum !== undefined) return texts.between(minimum, maximum);
  return isRequired ? '' : texts.any;
};

const Input = ({ field, value, enter }: InputProps) => {
  const { kind, choices, minimum, maximum, isWhole, isRequired } = field;
  if (kind === 'boolean') {
    return (
      <input
        type="checkbox"
        checked={value === 'true'}
        onChange={({ currentTarget }) => enter(String(currentTarget.checked))}
      />
    );
  }
  if (kind === 'choice') {
    return (
      <select value={value} onChange={({ currentTarget }) => enter(currentTarget.value)}>
        {isRequired ? null : <option value="">{texts.any}</option>}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
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

export const Inputs = ({ fields, entered, enter }: InputsProps) => (
  <>
    {fields.map((field) => (
      <label key={field.name} class={field.kind}>
        <span>{texts.name(field.name)}</span>
        <Input field={field} value={entered[field.name] ?? ''} enter={(value) => enter(field.name, value)} />
      </label>
    ))}
  </>
);
