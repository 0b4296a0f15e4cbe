/** Bluetooth proxies of ESPHome behind `Radio`. */
export { describeProxy, type ProxyAddress } from './api-client.js';
export { openProxyRadio } from './radio.js';
