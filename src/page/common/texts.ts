/** The name of a control for screen readers, where each of several devices has such a control. */
export const namedFor = (label: string, device: string | undefined): string | undefined =>
  device === undefined ? undefined : `${label} ${device}`;

/** The texts that the pages share. */
export const texts = {
  connection: {
    connecting: 'Connecting…',
    open: 'Live',
    reconnecting: 'Connection lost; reconnecting…',
    lost: 'The server cannot be reached. While it is down, nothing is recorded. The page reconnects by itself.',
    token: 'This server requires a token.',
  },
  adapterOff: (state: string, devices: string) =>
    `The Bluetooth adapter is ${state}. ${devices} cannot be reached until it is on; airbench doctor says what to do.`,
  missed: 'The server no longer has all earlier events.',
  pages: 'Pages',
  page: { dice: 'Dice', clock: 'Clocks', simulator: 'Simulator' },
  docs: 'API',
  simulated: {
    dice: { note: 'These dice are simulated.', link: 'Open the simulator' },
    clock: { note: 'These clocks are simulated.', link: 'Change what they measure in the simulator' },
  },
  simulatorAt: (address: string, port: number) =>
    `The simulator listens on ${address}, port ${port}, of the machine of the server.`,
  tokenLabel: 'Token',
  tokenUse: 'Use this token',
  tokenRefused: 'The server does not know this token. Is it complete?',
  tokenHint:
    'The token is in AIRBENCH_TOKEN (AIRBENCH_CONTROL_TOKEN for the simulator) or in the token file that the server was started with.',
  looking: 'Looking…',
  foundTitle: 'Found',
  foundAgain: (count: number) => `In range again: ${count}`,
  connect: 'Connect',
  connectAll: 'Connect all',
  connectingAll: (done: number, all: number) => `Connecting… ${done} of ${all}`,
  connected: (done: number, all: number) => `${done} of ${all} connected`,
  giveUp: 'Give up',
  advice: {
    device_not_found: 'Is it charged, awake and in range?',
    timeout: 'Bring it nearer and try again.',
    connect_failed: 'Bring it nearer and try again.',
    link_lost: 'Bring it nearer and try again.',
    answer_timeout: 'Bring it nearer and try again.',
    link_limit: 'Disconnect another device first.',
    owned_elsewhere: 'Disconnect it there first.',
    calibration_failed: 'Lay it on a level table, and take your hands off.',
    adapter_off: 'airbench doctor says what to do.',
    adapter_unavailable: 'airbench doctor says what to do.',
    forbidden: 'Use a token with the scope “full”.',
    too_many_requests: 'Wait a minute.',
    unreachable: 'The page reconnects by itself; then try again.',
  } as Readonly<Record<string, string>>,
  keepConnected: 'Connect it whenever it is heard',
  forget: 'Forget',
  forgetOf: (name: string) => `Forget ${name}`,
  forgetTitle: (name: string) => `Forget ${name}?`,
  cancel: 'Cancel',
  rename: (name: string, address: string) => `${name}, ${address}. Click to change the name.`,
  labelOf: (name: string) => `Name of ${name}`,
  labelHint: 'Enter stores the name, Escape leaves it as it was',
  disconnect: 'Disconnect',
  battery: 'Battery',
  signal: 'Signal',
  dbm: (rssi: number | null) => (rssi === null ? 'not known' : `${rssi} dBm`),
  unknown: 'not known',
  radios: (up: number, all: number) => `Radios: ${up} of ${all} can be used`,
  radio: (title: string, problem: string | null) =>
    problem === null ? `Radio: ${title}` : `Radio ${title}: ${problem}`,
  radioUp: 'can be used',
  radioDown: 'cannot be used',
  slotsFree: (free: number, limit: number) => `${free} of ${limit} slots free`,
  linkedHere: 'connected here,',
} as const;
