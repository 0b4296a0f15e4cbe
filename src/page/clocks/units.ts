/** Readings in words, in the unit that the clock shows. */
import type { Settings } from '../../clock/contract.js';

type Unit = Settings['temperature_unit'];

export const degrees = (unit: Unit, celsius: number): number => (unit === 'C' ? celsius : celsius * 1.8 + 32);

/** Halves are rounded up as they are written: 23.45 is 23.5, though no binary fraction is 23.45. */
const rounded = (digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: 'negative',
    useGrouping: false,
  });
const tenths = rounded(1);
const whole = rounded(0);

export const inUnit = (unit: Unit, value: number): string => `${tenths.format(value)} °${unit}`;

export const temperatureIn = (unit: Unit, celsius: number): string => inUnit(unit, degrees(unit, celsius));

export const humidityIn = (percent: number): string => `${whole.format(percent)} %`;
