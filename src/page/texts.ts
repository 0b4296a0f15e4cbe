/** What more than one place of the page says. */
export const texts = {
  connection: {
    connecting: 'Connecting…',
    open: 'Live',
    reconnecting: 'The connection was lost; connecting again…',
    lost: 'The server is gone. The page connects again by itself; nothing is lost.',
    token: 'This server asks for a token.',
  },
  adapterOff: (state: string, devices: string) =>
    `The Bluetooth adapter is ${state}. ${devices} cannot be reached until it is on; airbench doctor says what to do.`,
  missed: 'Some of what happened earlier is no longer known to the server.',
  tokenLabel: 'Token',
  tokenUse: 'Use it',
  tokenRefused: 'The server does not know this token. Is it complete?',
  tokenHint:
    'Whoever runs the server has it: AIRBENCH_TOKEN (AIRBENCH_CONTROL_TOKEN for the air), or the token file that it was started with.',
  foundTitle: 'Found',
  connect: 'Connect',
  disconnect: 'Disconnect',
  battery: 'Battery',
  signal: 'Signal',
  dbm: (rssi: number) => `${rssi} dBm`,
  unknown: 'not known',
} as const;
