/** The drivers, one for each maker of dice. */
import type { Advertisement } from '../../ble/ports.js';
import type { DieDriver } from '../port/driver.js';
import { goDice } from './godice/driver.js';

const drivers: readonly DieDriver[] = [goDice];

export const isDie = (advertisement: Advertisement): boolean =>
  drivers.some((driver) => driver.isDie(advertisement));

/** The driver of a device; the first one tries what advertises nothing that a driver knows. */
export const driverOf = (advertisement: Advertisement): DieDriver =>
  drivers.find((driver) => driver.isDie(advertisement)) ?? goDice;
