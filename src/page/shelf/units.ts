/** Readings in words, in the unit that the clock shows. */
import type { Settings } from '../../clock/contract.js';

type Unit = Settings['temperature_unit'];

export const degrees = (unit: Unit, celsius: number): number => (unit === 'C' ? celsius : celsius * 1.8 + 32);

export const inUnit = (unit: Unit, value: number): string => `${value.toFixed(1)} °${unit}`;

export const temperatureIn = (unit: Unit, celsius: number): string => inUnit(unit, degrees(unit, celsius));

export const humidityIn = (percent: number): string => `${percent.toFixed(0)} %`;
