/** A time of day to choose, in the format of its clock. */
import type { Settings } from '../../clock/contract.js';
import { texts } from './texts.js';
import { shown, twoDigits } from './time.js';

const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => twoDigits(at));
const HOURS = numbers(24);
const MINUTES = numbers(60);
const HALF_DAY = 12;

interface PartProps {
  readonly label: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly disabled: boolean;
  readonly nameOf?: (value: string) => string;
  readonly choose: (value: string) => void;
}

/** A choice of `values`, and of `value`: a clock may have stored a number outside them. */
const Part = ({ label, value, values, disabled, nameOf = (name) => name, choose }: PartProps) => (
  <select
    aria-label={label}
    value={value}
    disabled={disabled}
    onChange={({ currentTarget }) => choose(currentTarget.value)}
  >
    {(values.includes(value) ? values : [value, ...values]).map((choice) => (
      <option key={choice} value={choice}>
        {nameOf(choice)}
      </option>
    ))}
  </select>
);

interface TimeInputProps {
  readonly label: string;
  /** `HH:MM`. */
  readonly value: string;
  readonly format: Settings['time_format'];
  readonly disabled?: boolean;
  readonly change: (value: string) => void;
}

export const TimeInput = ({ label, value, format, disabled = false, change }: TimeInputProps) => {
  const [hour = '', minute = ''] = value.split(':');
  const halfOf = (of: string): string => shown(Number(of), 0, format).half;
  const nameOf = (of: string): string => shown(Number(of), 0, format).digits.replace(/:.*/, '');
  const other = twoDigits((Number(hour) + HALF_DAY) % HOURS.length);
  return (
    <span class="time-input">
      <Part
        label={texts.hourOf(label)}
        value={hour}
        values={HOURS.filter((choice) => halfOf(choice) === halfOf(hour))}
        disabled={disabled}
        nameOf={nameOf}
        choose={(chosen) => change(`${chosen}:${minute}`)}
      />
      <span aria-hidden="true">:</span>
      <Part
        label={texts.minuteOf(label)}
        value={minute}
        values={MINUTES}
        disabled={disabled}
        choose={(chosen) => change(`${hour}:${chosen}`)}
      />
      {format === '24h' ? null : (
        <Part
          label={texts.halfOf(label)}
          value={hour}
          values={[hour, other].sort()}
          disabled={disabled}
          nameOf={halfOf}
          choose={(chosen) => change(`${chosen}:${minute}`)}
        />
      )}
    </span>
  );
};
