import { expect } from 'chai';
import type { BleError } from '../../src/ble/ports.js';
import { errorReply, type ServerError } from '../../src/http/errors.js';
import { radioError } from '../../src/http/radio-errors.js';

const address = 'D1:CE:00:00:00:01';

describe('every error has one answer', () => {
  const cases: readonly (readonly [ServerError, number, string])[] = [
    [{ _tag: 'ParseError', code: 'invalid_input', message: 'x' }, 400, 'invalid_input'],
    [{ _tag: 'NotConnected', code: 'not_connected', message: 'x' }, 404, 'not_connected'],
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

  it('says in headers what HTTP wants there', () => {
    const headers = (error: ServerError): unknown => errorReply(error).headers;
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

describe('a failure of the radio', () => {
  const cases: readonly (readonly [BleError, number, string])[] = [
    [{ _tag: 'AdapterOff', state: 'poweredOff' }, 500, 'adapter_off'],
    [{ _tag: 'AdapterUnavailable', reason: 'no adapter' }, 500, 'adapter_unavailable'],
    [{ _tag: 'NotHeard', address }, 404, 'device_not_found'],
    [{ _tag: 'ConnectFailed', address, reason: 'refused' }, 500, 'connect_failed'],
    [{ _tag: 'LinkLimit', address }, 500, 'link_limit'],
    [{ _tag: 'Timeout', address, operation: 'connect', ms: 10_000 }, 500, 'timeout'],
    [{ _tag: 'LinkLost', address, reason: 8 }, 500, 'link_lost'],
    [{ _tag: 'GattFailed', address, operation: 'write', reason: 'refused' }, 500, 'gatt_failed'],
    [{ _tag: 'Busy', address }, 429, 'too_many_requests'],
    [{ _tag: 'Closed', address }, 404, 'not_connected'],
  ];
  for (const [error, status, code] of cases) {
    it(`${error._tag} is ${status} ${code}`, () => {
      const reply = errorReply(radioError(error));
      expect([reply.status, reply.body.code]).to.deep.equal([status, code]);
    });
  }

  it('names the device and the reason', () => {
    const said = (error: BleError): string => errorReply(radioError(error)).body.error;
    expect(said({ _tag: 'LinkLost', address, reason: 8 })).to.equal(
      `the link to device ${address} was lost, reason 0x08`,
    );
    expect(said({ _tag: 'LinkLost', address, reason: null })).to.equal(
      `the link to device ${address} was lost`,
    );
    expect(said({ _tag: 'Closed', address })).to.equal(`device ${address} is not connected`);
  });
});
