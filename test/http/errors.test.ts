import { expect } from 'chai';
import type { DeviceError } from '../../src/devices/device-error.js';
import { jsonOf, rows } from '../support/rows.js';
import { errorReply } from '../../src/http/errors.js';
import { deviceMessage, fromDeviceError } from '../../src/operations/index.js';

const address = 'D1:CE:00:00:00:01';

/** Others are provoked by the calls of test/api-docs. */
describe('a failure of a device', () => {
  /** The tag with its fields beside the address; status and code; the message, in which `device` is the address. */
  const cases = rows(
    3,
    `
    {"_tag":"LinkLost","reason":8} | 500 link_lost | the link to device was lost, reason 0x08
    {"_tag":"LinkLost","reason":null} | 500 link_lost | the link to device was lost
    {"_tag":"Timeout","operation":"connect","ms":5000} | 500 timeout | device: connect took longer than 5 s
    {"_tag":"NotConnected","cause":"reconnecting"} | 404 not_connected | device is not connected: the server is reconnecting to it
    {"_tag":"NotConnected","cause":"lost"} | 404 not_connected | device is not connected: it did not come back
    {"_tag":"NotConnected","cause":"disconnected"} | 404 not_connected | device is not connected: a client disconnected it meanwhile
    {"_tag":"SessionNotFound","id":"${'🎲'.repeat(5_000)}"} | 404 session_not_found | session "${'🎲'.repeat(30)}…" is not known
    {"_tag":"UploadsFull","bytes":1048576,"retryMs":60000} | 429 too_many_requests | too many unfinished uploads: the server holds at most 1 MiB of them; begin again later at offset 0
    `,
  );
  for (const [given, reply, words] of cases) {
    it(`${given.slice(0, 90)} is ${reply}`, () => {
      const error = { address, ...(jsonOf(given) as object) } as DeviceError;
      const { status, body } = errorReply(fromDeviceError(error));
      expect(`${status} ${body.code}`).to.equal(reply);
      expect(body.error).to.equal(words.replace(/\bdevice\b/, `device ${address}`));
      expect(deviceMessage(error)).to.equal(body.error);
    });
  }

  it('says when to retry', () => {
    const retryAfter = (error: DeviceError) => errorReply(fromDeviceError(error)).headers['Retry-After'];
    expect(retryAfter({ _tag: 'Busy', address })).to.equal('1');
    expect(retryAfter({ _tag: 'UploadsFull', bytes: 1, retryMs: 60_000 })).to.equal('60');
  });
});
