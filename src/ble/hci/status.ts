/** Controller error codes, as statuses and as reasons (Core 5.4 Vol 1 Part F 1.3). */
export const Status = {
  success: 0x00,
  unknownCommand: 0x01,
  unknownConnection: 0x02,
  pinOrKeyMissing: 0x06,
  connectionTimeout: 0x08,
  connectionLimitExceeded: 0x09,
  connectionAlreadyExists: 0x0b,
  commandDisallowed: 0x0c,
  unsupportedFeature: 0x11,
  invalidParameters: 0x12,
  remoteUserTerminated: 0x13,
  localHostTerminated: 0x16,
  micFailure: 0x3d,
  failedToEstablish: 0x3e,
} as const;

const sentences: Readonly<Record<number, string>> = {
  [Status.unknownCommand]: 'unknown HCI command',
  [Status.unknownConnection]: 'unknown connection',
  [Status.pinOrKeyMissing]: 'PIN or key missing',
  [Status.connectionTimeout]: 'connection timeout',
  [Status.connectionLimitExceeded]: 'connection limit exceeded',
  [Status.connectionAlreadyExists]: 'connection already exists',
  [Status.commandDisallowed]: 'command disallowed',
  [Status.unsupportedFeature]: 'unsupported feature or parameter value',
  [Status.invalidParameters]: 'invalid HCI command parameters',
  [Status.remoteUserTerminated]: 'ended by the device',
  [Status.localHostTerminated]: 'ended by this host',
  [Status.micFailure]: 'message integrity check failed',
  [Status.failedToEstablish]: 'connection failed to be established',
};

/** A status or reason in words, its code behind it. */
export const describeStatus = (code: number): string =>
  `${sentences[code] ?? 'HCI error'} (0x${code.toString(16).padStart(2, '0').toUpperCase()})`;
