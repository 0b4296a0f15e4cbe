/** Bluetooth proxies of ESPHome behind `Radio`. */
export type { Search } from './announced.js';
export { ANSWER_MS, describeProxy, type ProxyAddress } from './api-client.js';
export { EsphomeProxy } from './proxy.js';
export { openProxyRadio } from './radio.js';
export { ONE_CLIENT } from './subscription.js';
