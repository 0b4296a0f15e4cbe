export { checkLine, checksOf, generalChecks, isHealthy, type Check, type Level } from './checks.js';
export type { Facts } from './facts.js';
export { gatherFacts } from './gather.js';
export { gatherProxy, proxyChecks, type ProxyFacts } from './proxies.js';
