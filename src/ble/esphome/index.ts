/** Bluetooth proxies of ESPHome behind `Radio`. */
export { describeProxy, type ProxyAddress } from './api-client.js';
export { openProxyRadio, type ProxyRadio } from './radio.js';
