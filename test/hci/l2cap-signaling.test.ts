import { expect } from 'chai';
import { describe, it } from 'mocha';
import { answerParameterRequest } from '../../src/ble/hci/l2cap-signaling.js';
import { bytes, text } from '../support/hci-host.js';

/** Connection Parameter Update Request, identifier 0x2A, on link 0x0040 (Core 5.4 Vol 3 Part A 4.20). */
const request = (parameters: string): Buffer => bytes(`02 40 20 10 00 0C 00 05 00 12 2A 08 00 ${parameters}`);

const answers = (packet: Buffer) => answerParameterRequest(packet)?.map(text);

const accepted = '02 40 00 0a 00 06 00 05 00 13 2a 02 00 00 00';
const rejected = '02 40 00 0a 00 06 00 05 00 13 2a 02 00 01 00';

describe('The answer to an L2CAP connection parameter request', () => {
  it('accepts parameters within the specification, and updates the connection', () => {
    expect(answers(request('18 00 28 00 04 00 90 01'))).to.deep.equal([
      accepted,
      '01 13 20 0e 40 00 18 00 28 00 04 00 90 01 00 00 00 00',
    ]);
  });

  for (const [reason, parameters] of [
    ['an interval below 7.5 ms', '05 00 28 00 00 00 90 01'],
    ['a shortest interval over the longest', '28 00 18 00 00 00 90 01'],
    ['an interval over 4 s', '18 00 81 0C 00 00 80 0C'],
    ['a latency over 499', '06 00 06 00 F4 01 80 0C'],
    ['a timeout below 100 ms', '06 00 06 00 00 00 09 00'],
    ['a timeout over 32 s', '18 00 28 00 00 00 81 0C'],
    ['a timeout that the latency outlasts', '18 00 28 00 04 00 32 00'],
  ] as const) {
    it(`rejects ${reason}, and leaves the connection as it is`, () => {
      expect(answers(request(parameters))).to.deep.equal([rejected]);
    });
  }

  it('ignores other packets', () => {
    expect(answers(bytes('02 40 20 07 00 03 00 04 00 02 17 00'))).to.equal(undefined);
    expect(answers(bytes('04 0E 04 01 03 0C 00'))).to.equal(undefined);
    expect(answers(request('18 00 28 00 04 00 90 01').subarray(0, 20))).to.equal(undefined);
    // The response itself, followed by as many bytes.
    expect(answers(bytes('02 40 20 10 00 0C 00 05 00 13 2A 08 00 00 00 00 00 00 00 00 00'))).to.equal(
      undefined,
    );
  });
});
