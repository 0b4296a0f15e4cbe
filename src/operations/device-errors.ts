import { hexNumber } from '../bytes/index.js';
import { cut, parseError } from '../codecs/index.js';
import type { DeviceError } from '../devices/device-error.js';
import { coreError, errorBody, notConnected, shuttingDown, tooMany, type ServerError } from './errors.js';

const MIB = 1024 * 1024;

const because = (reason: number | null): string => (reason === null ? '' : `, reason ${hexNumber(reason)}`);

const NOT_CONNECTED_REASONS = {
  unknown: '',
  reconnecting: ': the server is reconnecting to it',
  lost: ': it did not come back',
  disconnected: ': a client disconnected it meanwhile',
} as const;

const UNCLAIMED_REASONS = {
  silence: 'the MQTT broker did not answer in time',
  namesake: 'another server on the MQTT broker has the name of this one',
} as const;

/** The error that a client gets for a failure of a device, or of the radio. */
export const fromDeviceError = (error: DeviceError): ServerError => {
  switch (error._tag) {
    case 'ParseError':
      return error;
    case 'AdapterOff':
      return coreError('adapter_off', `the Bluetooth adapter is ${error.state}, it must be poweredOn`);
    case 'AdapterUnavailable':
      return coreError('adapter_unavailable', error.reason);
    case 'NotFound':
      return notConnected(
        'device_not_found',
        `device ${error.address} was not found: is it awake and in range?`,
      );
    case 'ConnectFailed':
      return coreError('connect_failed', `device ${error.address} could not be connected: ${error.reason}`);
    case 'LinkLimit':
      return coreError(
        'link_limit',
        `device ${error.address} could not be connected: ` +
          (error.full === undefined
            ? 'the adapter has no room for another link'
            : `no adapter or proxy that hears it has a free slot (${error.full})`),
      );
    case 'Timeout':
      return coreError(
        'timeout',
        `device ${error.address}: ${error.operation} took longer than ${error.ms / 1000} s`,
      );
    case 'LinkLost':
      return coreError('link_lost', `the link to device ${error.address} was lost${because(error.reason)}`);
    case 'GattFailed':
      return coreError('gatt_failed', `device ${error.address}: ${error.operation} failed: ${error.reason}`);
    case 'Busy':
      return tooMany(`device ${error.address} has too many commands waiting`, 1);
    case 'Closed':
      return notConnected('not_connected', `device ${error.address} is not connected`);
    case 'NotConnected':
      return notConnected(
        'not_connected',
        `device ${error.address} is not connected${NOT_CONNECTED_REASONS[error.cause]}`,
      );
    case 'OtherDevice':
      return notConnected(
        `not_a_${error.expected}`,
        `device ${error.address} is no ${error.expected}: it advertises the name "${cut(error.name)}"`,
      );
    case 'SessionNotFound':
      return notConnected('session_not_found', `session "${cut(error.id)}" is not known`);
    case 'OwnedElsewhere':
      return {
        _tag: 'Conflict',
        code: 'owned_elsewhere',
        message: `device ${error.address} is connected by the server "${error.owner}"`,
      };
    case 'Unclaimed':
      return {
        _tag: 'Unavailable',
        code: 'unclaimed',
        message: `device ${error.address} could not be claimed: ${UNCLAIMED_REASONS[error.cause]}`,
      };
    case 'NoAnswer':
      return coreError(
        'answer_timeout',
        `device ${error.address} did not answer ${error.request} within ${error.ms / 1000} s`,
      );
    case 'NoReading':
      return coreError('no_reading', `device ${error.address} sent no reading within ${error.ms / 1000} s`);
    case 'Refused':
      return coreError('command_refused', `device ${error.address} refused ${error.request}`);
    case 'BadAnswer':
      return coreError('bad_answer', `device ${error.address}: ${error.reason}`);
    case 'TokenRefused':
      return coreError(
        'auth_failed',
        `auth_failed: device ${error.address} did not accept this server's token, it is bound to another app: reset ` +
          'it and connect again. To reset it, remove it from that app or hold its button until the Bluetooth icon ' +
          'flashes; if that does not help, take the batteries out, hold the body pressed, put them back in and keep ' +
          'holding for 12 s, which also clears its settings and alarms',
      );
    case 'StoreUnusable':
      return coreError('token_store', `the token store ${error.path} cannot be used: ${error.reason}`);
    case 'MtuTooSmall':
      return coreError(
        'mtu_too_small',
        `device ${error.address}: the link carries ${error.mtu} bytes at once (MTU), a tone needs ${error.needed}`,
      );
    case 'UploadsFull':
      return tooMany(
        `too many unfinished uploads: the server holds at most ${error.bytes / MIB} MiB of them; ` +
          'begin again later at offset 0',
        error.retryMs / 1000,
      );
    case 'WrongDiceType':
      return parseError(
        `dice_type must be ${error.own}, the die's own type, or left out, got ${error.given}`,
        'wrong_dice_type',
      );
    case 'NotStill':
      return coreError(
        'calibration_failed',
        `device ${error.address} did not lie still on a face within ${error.ms / 1000} s`,
      );
    case 'Aborted':
      return shuttingDown;
  }
};

/** One message for a person. */
export const deviceMessage = (error: DeviceError): string => errorBody(fromDeviceError(error)).error;
