import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EPOCH, LONGEST_RECORD, recordsIn } from '../../src/bytes/btsnoop.js';

/** A record by RFC 1761: original length, included length, flags, drops, time, data. */
const record = (data: Buffer, { sent = data.length, us = 0n } = {}): Buffer => {
  const header = Buffer.alloc(24);
  header.writeUInt32BE(sent, 0);
  header.writeUInt32BE(data.length, 4);
  header.writeUInt32BE(3, 8);
  header.writeBigUInt64BE(EPOCH + us, 16);
  return Buffer.concat([header, data]);
};

describe('Records of a btsnoop file', () => {
  it('have the time in milliseconds, and a flag for whole packets', () => {
    const data = Buffer.from([1, 2]);
    const written = [record(data, { us: 1_500n }), record(data, { sent: 3 }), record(Buffer.alloc(0))];
    expect([...recordsIn(Buffer.concat(written))]).to.deep.equal([
      { flags: 3, at: 1.5, data, whole: true, bytes: written[0] },
      { flags: 3, at: 0, data, whole: false, bytes: written[1] },
      { flags: 3, at: 0, data: Buffer.alloc(0), whole: true, bytes: written[2] },
    ]);
  });

  it('end before a record that is incomplete or longer than any packet', () => {
    const longest = record(Buffer.alloc(LONGEST_RECORD));
    for (const [next, count] of [
      [longest, 2],
      [longest.subarray(0, -1), 1],
      [longest.subarray(0, 23), 1],
      [record(Buffer.alloc(LONGEST_RECORD + 1)), 1],
    ] as const)
      expect([...recordsIn(Buffer.concat([record(Buffer.from([1])), next]))]).to.have.length(count);
  });
});
