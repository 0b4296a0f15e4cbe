import { hexNumber } from '../bytes/index.js';
import { cut, parseError } from '../codecs/index.js';
import type { DeviceError } from '../devices/device-error.js';
import { errorBody, failure, shuttingDown, tooMany, type ServerError } from './errors.js';

const MIB = 1024 * 1024;

const because = (reason: number | null): string => (reason === null ? '' : `, reason ${hexNumber(reason)}`);

const noLink = (fullAdapters: string | undefined): string =>
  fullAdapters === undefined
    ? 'the adapter has no room for another link'
    : `no adapter or proxy that hears it has a free slot (${fullAdapters})`;

const NOT_CONNECTED_REASONS = {
  unknown: '',
  reconnecting: ': the server is reconnecting to it',
  lost: ': it did not come back',
  disconnected: ': a client disconnected it meanwhile',
} as const;

const TOKEN_REFUSED =
  "did not accept this server's token, it is bound to another app: reset " +
  'it and connect again. To reset it, remove it from that app or hold its button until the Bluetooth icon ' +
  'flashes; if that does not help, take the batteries out, hold the body pressed, put them back in and keep ' +
  'holding for 12 s, which also clears its settings and alarms';

const uploadsFull = (bytes: number): string =>
  `too many unfinished uploads: the server holds at most ${bytes / MIB} MiB of them; begin again later at offset 0`;

/** The error for clients from a failure of a device or the radio. */
export const fromDeviceError = (error: DeviceError): ServerError => {
  const device = 'address' in error ? `device ${error.address}` : '';
  const time = 'ms' in error ? `${error.ms / 1000} s` : '';
  switch (error._tag) {
    case 'ParseError':
      return error;
    case 'AdapterOff':
      return failure(
        'adapter_off',
        error.reason ?? `the Bluetooth adapter is ${error.state}, it must be poweredOn`,
      );
    case 'AdapterUnavailable':
      return failure('adapter_unavailable', error.reason);
    case 'NotFound':
      return failure('device_not_found', `${device} was not found: is it awake and in range?`);
    case 'ConnectFailed':
      return failure('connect_failed', `${device} could not be connected: ${error.reason}`);
    case 'LinkLimit':
      return failure('link_limit', `${device} could not be connected: ${noLink(error.full)}`);
    case 'Timeout':
      return failure('timeout', `${device}: ${error.operation} took longer than ${time}`);
    case 'LinkLost':
      return failure('link_lost', `the link to ${device} was lost${because(error.reason)}`);
    case 'GattFailed':
      return failure('gatt_failed', `${device}: ${error.operation} failed: ${error.reason}`);
    case 'Busy':
      return tooMany(`${device} has too many commands waiting`, 1);
    case 'Closed':
      return failure('not_connected', `${device} is not connected`);
    case 'NotConnected':
      return failure('not_connected', `${device} is not connected${NOT_CONNECTED_REASONS[error.cause]}`);
    case 'OtherDevice':
      return failure(
        `not_a_${error.expected}`,
        `${device} is not a ${error.expected}: it advertises the name "${cut(error.name)}"`,
      );
    case 'SessionNotFound':
      return failure('session_not_found', `session "${cut(error.id)}" is not known`);
    case 'OwnedElsewhere':
      return failure('owned_elsewhere', `${device} is connected by the server "${error.owner}"`);
    case 'NoAnswer':
      return failure('answer_timeout', `${device} did not answer ${error.request} within ${time}`);
    case 'NoReading':
      return failure('no_reading', `${device} sent no reading within ${time}`);
    case 'Refused':
      return failure('command_refused', `${device} refused ${error.request}`);
    case 'BadAnswer':
      return failure('bad_answer', `${device}: ${error.reason}`);
    case 'TokenRefused':
      return failure('auth_failed', `auth_failed: ${device} ${TOKEN_REFUSED}`);
    case 'StoreUnusable':
      return failure('token_store', `the token store ${error.path} cannot be used: ${error.reason}`);
    case 'NotRemembered':
      return failure('history_unavailable', error.reason);
    case 'Unheard':
      return failure('unknown_device', `${device} is not known: the server has not heard it`);
    case 'MtuTooSmall':
      return failure(
        'mtu_too_small',
        `${device}: the link carries ${error.mtu} bytes at once (MTU), a tone needs ${error.needed}`,
      );
    case 'UploadsFull':
      return tooMany(uploadsFull(error.bytes), error.retryMs / 1000);
    case 'WrongDiceType':
      return parseError(
        `dice_type must be ${error.actual}, the die's own type, or left out, got ${error.requested}`,
        'wrong_dice_type',
      );
    case 'NotStill':
      return failure('calibration_failed', `${device} did not lie still on a face within ${time}`);
    case 'NotSimulated':
      return failure('unknown_device', `${device} is not in the simulation`);
    case 'SimulatorFailed':
      return failure('simulator_failed', `the simulator at ${error.url} ${error.reason}`);
    case 'Aborted':
      return shuttingDown;
  }
};

/** One message for a person. */
export const deviceMessage = (error: DeviceError): string => errorBody(fromDeviceError(error)).error;
