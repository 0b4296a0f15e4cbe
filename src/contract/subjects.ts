/** The subjects by which documents group operations, and what they are about. */
export const subjects = {
  Connections: 'Dice in range, and their sessions',
  LEDs: 'Colours and pulses of a die',
  Die: 'Battery, taps and calibration of a die',
  Clocks: 'Clocks that are connected, and their readings',
  Devices: 'The simulated devices: who is there, what they do, how they misbehave',
  Air: 'Signals, distances and losses',
  Faults: 'Single faults, and plans of chaos',
  Adapters: 'The Bluetooth controllers of hosts, and what strict ones find wrong',
  Proxies: 'Bluetooth proxies of ESPHome on the radio',
  Capture: 'HCI packets of all controllers',
  World: 'The simulation as a whole',
  Operation: 'Health, metrics and the log',
  Documents: 'The documents of this API',
  Other: 'All else',
} as const;

export type Subject = keyof typeof subjects;
