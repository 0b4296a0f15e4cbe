import type { Uuid } from './ports.js';

/**
 * A UUID of the Bluetooth base (Core 5.4 Vol 3 Part B 2.5.1) in the form in which noble writes it when it came in 16 bits:
 * devices may list the same characteristic in 128.
 */
export const shortest = (uuid: Uuid): Uuid => uuid.replace(/^0*([0-9a-f]+)00001000800000805f9b34fb$/, '$1');
