import { expect } from 'chai';
import type { DeviceError } from '../../src/devices/device-error.js';
import { jsonOf, rows } from '../support/rows.js';
import { errorReply, type HttpError } from '../../src/http/errors.js';
import { deviceMessage, fromDeviceError } from '../../src/operations/index.js';

const address = 'D1:CE:00:00:00:01';

describe('every error has one response', () => {
  const cases: readonly (readonly [HttpError, number, string])[] = [
    [{ _tag: 'ParseError', code: 'invalid_input', message: 'x' }, 400, 'invalid_input'],
    [{ _tag: 'NotConnected', code: 'not_connected', message: 'x' }, 404, 'not_connected'],
    [{ _tag: 'Conflict', code: 'owned_elsewhere', message: 'x' }, 409, 'owned_elsewhere'],
    [{ _tag: 'CoreError', code: 'timeout', message: 'x' }, 500, 'timeout'],
    [{ _tag: 'UnknownRoute', path: '/x' }, 404, 'unknown_route'],
    [{ _tag: 'MethodNotAllowed', method: 'PUT', path: '/x', allowed: ['GET'] }, 405, 'method_not_allowed'],
    [{ _tag: 'RequestTimeout' }, 408, 'request_timeout'],
    [{ _tag: 'BodyTooLarge', limit: 1 }, 413, 'body_too_large'],
    [{ _tag: 'UnsupportedMedia', message: 'x' }, 415, 'unsupported_media_type'],
    [{ _tag: 'UpgradeRequired', path: '/ws' }, 426, 'upgrade_required'],
    [{ _tag: 'TooManyRequests', message: 'x', retryAfterSecs: 1 }, 429, 'too_many_requests'],
    [{ _tag: 'HeadersTooLarge' }, 431, 'headers_too_large'],
    [{ _tag: 'Unavailable', code: 'shutting_down', message: 'x' }, 503, 'shutting_down'],
  ];
  for (const [error, status, code] of cases) {
    it(`${error._tag} is ${status} ${code}`, () => {
      const reply = errorReply(error);
      expect(reply.status).to.equal(status);
      expect(reply.body.code).to.equal(code);
      expect(reply.body.error).to.be.a('string').that.is.not.empty;
    });
  }

  it('has the headers that HTTP requires', () => {
    const headers = (error: HttpError): unknown => errorReply(error).headers;
    expect(
      headers({ _tag: 'MethodNotAllowed', method: 'PUT', path: '/x', allowed: ['GET', 'HEAD'] }),
    ).to.deep.equal({
      Allow: 'GET, HEAD',
    });
    expect(headers({ _tag: 'UpgradeRequired', path: '/ws' })).to.include({ Upgrade: 'websocket' });
    expect(headers({ _tag: 'TooManyRequests', message: 'x', retryAfterSecs: 3 })).to.deep.equal({
      'Retry-After': '3',
    });
  });
});

describe('a failure of a device', () => {
  /** The tag with its fields beside the address; status and code; the message, in which `device` is the address. */
  const cases = rows(
    3,
    `
    {"_tag":"ParseError","code":"invalid_input","message":"x must be 1"} | 400 invalid_input | x must be 1
    {"_tag":"AdapterOff","state":"poweredOff"} | 500 adapter_off | the Bluetooth adapter is poweredOff, it must be poweredOn
    {"_tag":"AdapterUnavailable","reason":"no adapter"} | 500 adapter_unavailable | no adapter
    {"_tag":"NotFound"} | 404 device_not_found | device was not found: is it awake and in range?
    {"_tag":"ConnectFailed","reason":"refused"} | 500 connect_failed | device could not be connected: refused
    {"_tag":"LinkLimit"} | 500 link_limit | device could not be connected: the adapter has no room for another link
    {"_tag":"Timeout","operation":"connect","ms":5000} | 500 timeout | device: connect took longer than 5 s
    {"_tag":"LinkLost","reason":8} | 500 link_lost | the link to device was lost, reason 0x08
    {"_tag":"LinkLost","reason":null} | 500 link_lost | the link to device was lost
    {"_tag":"GattFailed","operation":"write","reason":"refused"} | 500 gatt_failed | device: write failed: refused
    {"_tag":"Busy"} | 429 too_many_requests | device has too many commands waiting
    {"_tag":"Closed"} | 404 not_connected | device is not connected
    {"_tag":"NotConnected","cause":"unknown"} | 404 not_connected | device is not connected
    {"_tag":"NotConnected","cause":"reconnecting"} | 404 not_connected | device is not connected: the server is reconnecting to it
    {"_tag":"NotConnected","cause":"lost"} | 404 not_connected | device is not connected: it did not come back
    {"_tag":"NotConnected","cause":"disconnected"} | 404 not_connected | device is not connected: a client disconnected it meanwhile
    {"_tag":"SessionNotFound","id":"abc"} | 404 session_not_found | session "abc" is not known
    {"_tag":"OwnedElsewhere","owner":"hall"} | 409 owned_elsewhere | device is connected by the server "hall"
    {"_tag":"Unclaimed","cause":"silence"} | 503 unclaimed | device could not be claimed: the MQTT broker did not answer in time
    {"_tag":"NoAnswer","request":"read_alarms","ms":5000} | 500 answer_timeout | device did not answer read_alarms within 5 s
    {"_tag":"NoReading","ms":5000} | 500 no_reading | device sent no reading within 5 s
    {"_tag":"Refused","request":"set_alarm"} | 500 command_refused | device refused set_alarm
    {"_tag":"BadAnswer","reason":"too short"} | 500 bad_answer | device: too short
    {"_tag":"TokenRefused"} | 500 auth_failed | auth_failed: device did not accept this server's token, it is bound to another app: reset it and connect again.
    {"_tag":"StoreUnusable","path":"/tokens.json","reason":"no permission"} | 500 token_store | the token store /tokens.json cannot be used: no permission
    {"_tag":"MtuTooSmall","mtu":23,"needed":135} | 500 mtu_too_small | device: the link carries 23 bytes at once (MTU), a tone needs 135
    {"_tag":"UploadsFull","bytes":1048576,"retryMs":60000} | 429 too_many_requests | too many unfinished uploads: the server holds at most 1 MiB of them; begin again later at offset 0
    {"_tag":"NotStill","ms":5000} | 500 calibration_failed | device did not lie still on a face within 5 s
    {"_tag":"Aborted"} | 503 shutting_down | the server is shutting down
    `,
  );
  for (const [given, reply, words] of cases) {
    it(`${given} is ${reply}`, () => {
      const error = { address, ...(jsonOf(given) as object) } as DeviceError;
      const { status, body } = errorReply(fromDeviceError(error));
      expect(`${status} ${body.code}`).to.equal(reply);
      const message = words.replace(/\bdevice\b/, `device ${address}`);
      if (words.endsWith('.')) expect(body.error).to.contain(message);
      else expect(body.error).to.equal(message);
      expect(deviceMessage(error)).to.equal(body.error);
    });
  }

  it('says when to retry', () => {
    const retryAfter = (error: DeviceError) => errorReply(fromDeviceError(error)).headers['Retry-After'];
    expect(retryAfter({ _tag: 'Busy', address })).to.equal('1');
    expect(retryAfter({ _tag: 'UploadsFull', bytes: 1, retryMs: 60_000 })).to.equal('60');
  });
});
