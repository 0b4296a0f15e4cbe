/** The drivers, one for each maker of dice. */
import type { Advertisement } from '../../ble/ports.js';
import type { DieDriver } from '../port/driver.js';
import { goDice } from './godice/driver.js';
import { pixels } from './pixels/driver.js';

/** Pixels come first: GoDice accept any nameless device with a service that older Pixels have too. */
const drivers: readonly DieDriver[] = [pixels, goDice];

export const isDie = (advertisement: Advertisement): boolean =>
  drivers.some((driver) => driver.isDie(advertisement));

/** Whether a device is certainly not a die: it has a name, and no driver accepts it. */
export const isOtherDevice = (advertisement: Advertisement): boolean =>
  advertisement.name !== null && !isDie(advertisement);

/** The driver of a device; GoDice if no driver accepts its advertisement. */
export const driverOf = (advertisement: Advertisement): DieDriver =>
  drivers.find((driver) => driver.isDie(advertisement)) ?? goDice;
