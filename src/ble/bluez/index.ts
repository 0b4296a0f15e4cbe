/** The radio on BlueZ, over D-Bus: it needs neither a native module nor rights, and leaves the adapter to other programs. */
export { defaultAdapter, listBluezAdapters, type BluezAdapter } from './daemon.js';
export { openBluez, type BluezOptions, type BluezRadio } from './radio.js';
