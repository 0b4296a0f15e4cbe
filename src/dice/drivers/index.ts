/** The drivers, one for each maker of dice. */
import type { Advertisement } from '../../ble/ports.js';
import type { DieDriver } from '../port/driver.js';
import { goDice } from './godice/driver.js';
import { pixels } from './pixels/driver.js';

/** In the order in which they are asked: GoDice takes any nameless device with a service that older Pixels have too. */
const drivers: readonly DieDriver[] = [pixels, goDice];

export const isDie = (advertisement: Advertisement): boolean =>
  drivers.some((driver) => driver.isDie(advertisement));

/** True for a device that is not a die: it has a name, and no driver knows it. */
export const isOtherDevice = (advertisement: Advertisement): boolean =>
  advertisement.name !== null && !isDie(advertisement);

/** The driver of a device; GoDice tries what advertises nothing that a driver knows. */
export const driverOf = (advertisement: Advertisement): DieDriver =>
  drivers.find((driver) => driver.isDie(advertisement)) ?? goDice;
