import { hexNumber } from '../../bytes/index.js';

/** Controller error codes, as statuses and as reasons (Core 5.4 Vol 1 Part F 1.3). */
export const Status = {
  success: 0x00,
  unknownCommand: 0x01,
  unknownConnection: 0x02,
  pinOrKeyMissing: 0x06,
  memoryCapacityExceeded: 0x07,
  connectionTimeout: 0x08,
  connectionLimitExceeded: 0x09,
  connectionAlreadyExists: 0x0b,
  commandDisallowed: 0x0c,
  unsupportedFeature: 0x11,
  invalidParameters: 0x12,
  remoteUserTerminated: 0x13,
  localHostTerminated: 0x16,
  unsupportedRemoteFeature: 0x1a,
  procedureTimeout: 0x22,
  controllerBusy: 0x3a,
  unacceptableConnectionParameters: 0x3b,
  advertisingTimeout: 0x3c,
  micFailure: 0x3d,
  failedToEstablish: 0x3e,
  unknownAdvertisingSet: 0x42,
  limitReached: 0x43,
  packetTooLong: 0x45,
} as const;

/** Names of codes, such as `write not permitted` for the key `writeNotPermitted`; `exceptions`: other names, by key. */
export const namesOf = (
  codes: Readonly<Record<string, number>>,
  exceptions: Readonly<Record<string, string>>,
): ReadonlyMap<number, string> =>
  new Map(
    Object.entries(codes).map(([key, code]) => [
      code,
      exceptions[key] ?? key.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`),
    ]),
  );

const names = namesOf(Status, {
  unknownCommand: 'unknown HCI command',
  pinOrKeyMissing: 'PIN or key missing',
  unsupportedFeature: 'unsupported feature or parameter value',
  invalidParameters: 'invalid HCI command parameters',
  remoteUserTerminated: 'ended by the device',
  localHostTerminated: 'ended by this host',
  unsupportedRemoteFeature: 'not supported by the other side',
  procedureTimeout: 'the other side left a request unanswered',
  micFailure: 'message integrity check failed',
  failedToEstablish: 'connection failed to be established',
});

/** A status or reason in words, with its code. */
export const describeStatus = (code: number): string =>
  `${names.get(code) ?? 'HCI error'} (${hexNumber(code)})`;
