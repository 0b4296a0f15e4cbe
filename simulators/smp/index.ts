/** The Security Manager of a peripheral (Core 5.4 Vol 3 Part H): pairing, bonds and keys. */
export { ioCapabilities, pairingFailures, type IoCapability } from './messages.js';
export type { Prompt } from './pairing.js';
export { Security, type SecurityLevel } from './security.js';
export type { PairingSettings } from './settings.js';
