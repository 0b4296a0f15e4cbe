/** Bluetooth proxies of ESPHome on the virtual radio, with faults. */
export { VirtualProxy, type VirtualProxyOptions } from './virtual-proxy.js';
