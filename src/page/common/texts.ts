/** The texts that the pages share. */
export const texts = {
  connection: {
    connecting: 'Connecting…',
    open: 'Live',
    reconnecting: 'Connection lost; reconnecting…',
    lost: 'The server cannot be reached. The page reconnects by itself; nothing on it is lost.',
    token: 'This server requires a token.',
  },
  adapterOff: (state: string, devices: string) =>
    `The Bluetooth adapter is ${state}. ${devices} cannot be reached until it is on; airbench doctor says what to do.`,
  missed: 'The server no longer has all earlier events.',
  pages: 'Pages',
  page: { dice: 'Dice', clock: 'Clocks', simulator: 'Simulator' },
  docs: 'API',
  simulated: {
    dice: { note: 'These dice are simulated.', link: 'Roll them in the simulator' },
    clock: { note: 'These clocks are simulated.', link: 'Change what they measure in the simulator' },
  },
  simulatorAt: (address: string, port: number) =>
    `The simulator listens on ${address}, port ${port}, of the machine of the server.`,
  tokenLabel: 'Token',
  tokenUse: 'Use this token',
  tokenRefused: 'The server does not know this token. Is it complete?',
  tokenHint:
    'The token is in AIRBENCH_TOKEN (AIRBENCH_CONTROL_TOKEN for the simulator) or in the token file that the server was started with.',
  foundTitle: 'Found',
  connect: 'Connect',
  connectAll: 'Connect all',
  disconnect: 'Disconnect',
  battery: 'Battery',
  signal: 'Signal',
  dbm: (rssi: number | null) => (rssi === null ? 'not known' : `${rssi} dBm`),
  unknown: 'not known',
  radios: (up: number, all: number) => `Radios: ${up} of ${all} can be used`,
  radioUp: 'can be used',
  radioDown: 'cannot be used',
  slotsFree: (free: number, limit: number) => `${free} of ${limit} slots free`,
  linkedHere: 'connected here,',
} as const;
