export type { ProxySubscriber } from '../contract/proxies.js';
export { LINK_LIMITS, startProxy, type Proxy, type ProxyOptions } from './server.js';
export { ESPHOME_VERSION } from './identity.js';
