/** A choice among texts. */

export interface SelectProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly values: Iterable<string>;
  readonly choose: (value: string) => void;
  /** The text of a value for people; the value itself if left out. */
  readonly nameOf?: (value: string) => string;
}

export const Select = ({ label, value, values, choose, nameOf = (one) => one }: SelectProps) => (
  <label>
    <span>{label}</span>
    <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {[...values].map((one) => (
        <option key={one} value={one}>
          {nameOf(one)}
        </option>
      ))}
    </select>
  </label>
);
