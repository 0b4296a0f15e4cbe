/** The octets of described values. */
import { isNumberName, numberLayouts, type NumberLayout } from './numbers.js';
import type { Changing, Part, Parts } from './values.js';

/** Makes the next value; `written`: the value of the host's write, if it answers one. */
export type MakeValue = (written?: Buffer) => Buffer;

/** Chance, in [0, 1). */
type Rng = () => number;

const repeated = (numbers: readonly number[]): (() => number) => {
  let at = -1;
  return () => {
    at = (at + 1) % numbers.length;
    return numbers[at] ?? 0;
  };
};

/** Never beyond `to`: the last step may be shorter. */
const rampOf = ({ from, to, step, back }: NonNullable<Changing['ramp']>): (() => number) => {
  const steps = Math.ceil(Math.abs(to - from) / step - 1e-9);
  const period = back ? Math.max(1, 2 * steps) : steps + 1;
  let taken = -1;
  return () => {
    taken = (taken + 1) % period;
    const distance = taken <= steps ? taken : 2 * steps - taken;
    return distance === steps ? to : from + Math.sign(to - from) * step * distance;
  };
};

const numbersOf = (changing: Changing, { isWhole }: NumberLayout, rng: Rng): (() => number) => {
  const { sequence, ramp, noise } = changing;
  if (sequence !== undefined) return repeated(sequence);
  if (ramp !== undefined) return rampOf(ramp);
  const { around, by } = noise ?? { around: 0, by: 0 };
  return isWhole
    ? () => Math.round(around - by - 0.5 + rng() * (2 * by + 1))
    : () => around + (2 * rng() - 1) * by;
};

const partOf = ({ hex, text, written: from, ...numbers }: Part, rng: Rng): MakeValue => {
  const fixed = hex === undefined ? Buffer.from(text ?? '') : Buffer.from(hex, 'hex');
  if (from !== undefined) return (written) => written?.subarray(from) ?? fixed;
  const [entry] = Object.entries(numbers);
  if (entry === undefined || !isNumberName(entry[0])) return () => fixed;
  const [name, content] = [entry[0], entry[1]];
  const layout = numberLayouts[name];
  const next = typeof content === 'number' ? () => content : numbersOf(content, layout, rng);
  return () => layout.write(next());
};

/** Whether a value changes each time that it is made. */
export const changes = (parts: Parts): boolean =>
  parts.some((part) => Object.values(part).some((content) => typeof content === 'object'));

export const valueMaker = (parts: Parts, rng: Rng): MakeValue => {
  const makers = parts.map((part) => partOf(part, rng));
  return (written) => Buffer.concat(makers.map((make) => make(written)));
};

/** The first value; each random number is the middle of its range. */
export const fixedValue = (parts: Parts): Buffer => valueMaker(parts, () => 0.5)();
