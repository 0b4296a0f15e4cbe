/** `airbench/testing`: a simulated world for a test, in a separate process. */
export { Api, Control, type SimulatedDevice } from './api.js';
export { guest, type Guest, type GuestOptions, type GuestResult } from './guest.js';
export { world, type World, type WorldOptions } from './world.js';
