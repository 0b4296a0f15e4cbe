import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { h4Reader } from '../../src/ble/hci/h4.js';
import { bytes, text } from '../support/hci-host.js';

/** Packets of every type, by the lengths of Core 5.4 Vol 4 Part E 5.4. */
const golden = [
  '01 03 0C 00',
  '01 0C 20 02 01 00',
  '02 40 20 05 00 01 00 04 00 0B',
  '03 2A 00 03 01 02 03',
  '04 0E 04 01 03 0C 00',
  '04 3E 00',
  // The two top bits of an ISO length do not belong to the length.
  '05 60 20 02 C0 AA BB',
].map(bytes);

const reading = () => {
  const packets: string[] = [];
  const lost: string[] = [];
  const read = h4Reader(
    (packet) => packets.push(text(packet)),
    (reason) => lost.push(reason),
  );
  return { packets, lost, read };
};

describe('An H4 reader', () => {
  it('cuts a stream into packets of all types', () => {
    const { packets, read } = reading();
    read(Buffer.concat(golden));
    expect(packets).to.deep.equal(golden.map(text));
  });

  it('finds the same packets however the bytes arrive', () => {
    const packet = fc.oneof(
      fc.constantFrom(...golden),
      fc.uint8Array({ maxLength: 255 }).map((body) => Buffer.from([0x04, 0x3e, body.length, ...body])),
      fc
        .uint8Array({ maxLength: 600 })
        .map((body) => Buffer.from([0x02, 0x40, 0x20, body.length & 0xff, body.length >> 8, ...body])),
    );
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(packet, { maxLength: 8 }), cuts, (sent, pieces) => {
        const { packets, lost, read } = reading();
        let remaining = Buffer.concat(sent);
        for (let turn = 0; remaining.length > 0; turn++) {
          const size = pieces[turn % pieces.length] ?? 1;
          read(remaining.subarray(0, size));
          remaining = remaining.subarray(size);
        }
        expect(packets).to.deep.equal(sent.map(text));
        expect(lost).to.deep.equal([]);
      }),
    );
  });

  it('keeps an incomplete packet back', () => {
    const { packets, read } = reading();
    read(bytes('02 40 20 05 00 01 00 04 00'));
    expect(packets).to.deep.equal([]);
  });

  it('reports once that the stream is out of step, and reads nothing more', () => {
    const { packets, lost, read } = reading();
    read(bytes('01 03 0C 00 07'));
    read(bytes('01 03 0C 00'));
    read(bytes('07'));
    expect(packets).to.deep.equal(['01 03 0c 00']);
    expect(lost).to.deep.equal(['0x07 is not an H4 packet type: the stream is out of step']);
  });
});
