export { checkLine, checksOf, isHealthy, type Check, type Level } from './checks.js';
export type { Facts } from './facts.js';
export { gatherFacts } from './gather.js';
