/** Malformed and correct captures, from packets written by hand after Core 5.4. */
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { Trace } from '../../simulators/radio/index.js';
import { bytes } from '../support/hci-host.js';
import { requireProgram } from '../support/require.js';
import { rows } from '../support/rows.js';
import { malformed } from './judge.js';

/** Records as `0> packet` of a host, `0< packet` of its controller, or `0!` for a fault, of the controllers 0 and 1. */
const captured = (...records: readonly string[]): Buffer => {
  const trace = new Trace();
  trace.opened(0, '02:A1:B0:00:00:01', 'hci0');
  trace.opened(1, '02:A1:B0:00:00:02', 'hci1');
  for (const record of records) {
    const [controller, packet] = [Number(record[0]), bytes(record.slice(2))];
    if (record[1] === '>') trace.fromHost(controller, packet);
    else if (record[1] === '<') trace.toHost(controller, packet);
    else trace.note('a fault has changed what comes next');
  }
  return trace.snapshot();
};

const READ_LOCAL_NAME = '01 14 0C 00';

/** Read By Type on handle 0x0040, of names (0x2A00), and its answer: attribute 3 is `A` (Vol 3 Part F 3.4.4). */
const READ_NAME = '02 40 00 0B 00 07 00 04 00 08 01 00 FF FF 00 2A';
const NAME = '02 40 20 09 00 05 00 04 00 09 03 03 00 41';
/** The same on handle 0x0041, of characteristics (0x2803): attribute 2, properties 0x02, value at 3, UUID 0x2A00. */
const READ_CHARACTERISTICS = '02 41 00 0B 00 07 00 04 00 08 01 00 FF FF 03 28';
const CHARACTERISTIC = '02 41 20 0D 00 09 00 04 00 09 07 02 00 02 03 00 00 2A';
const onHandle41 = (packet: string): string => packet.replace('40', '41');

describe('The judge of captures', () => {
  before(function () {
    requireProgram(this, 'tshark');
  });

  /** Captures: what they are, their records with commas between, and the number of the malformed one. */
  const captures = rows(
    3,
    `
    a request and its response | 0> ${READ_NAME}, 0< ${NAME} | -
    requests of two links of one adapter, and then their responses | 0> ${READ_NAME}, 0> ${READ_CHARACTERISTICS}, 0< ${NAME}, 0< ${CHARACTERISTIC} | -
    a handle that is used again while a request of its last link has no response | 0> ${READ_CHARACTERISTICS}, 0< 04 05 04 00 41 00 13, 0> ${onHandle41(READ_NAME)}, 0< ${onHandle41(NAME)} | -
    a command that the controller does not know | 0> ${READ_LOCAL_NAME}, 0< 04 0E 04 01 14 0C 01 | -
    what a fault has cut short, as a note says | 0> ${READ_NAME}, 1!, 0< 02 40 20 05 00 01 00 04 00 01 | -
    a PDU of which a fault has changed the first of two fragments | 1!, 0< 02 40 20 05 00 03 00 04 00 01, 1< 04 0E 04 01 03 0C 00, 0< 02 40 10 02 00 08 01 | -
    an Error Response without its last three octets | 0< 02 40 20 06 00 02 00 04 00 01 08 | 3
    an Exchange MTU Response that is cut short, between packets of another link | 0> 02 40 00 07 00 03 00 04 00 02 17 00, 0> ${READ_CHARACTERISTICS}, 0< 02 40 20 06 00 02 00 04 00 03 17, 0< ${CHARACTERISTIC} | 5
    an event that is cut short, though a command is unknown | 0< 04 0E 04 01 14 0C 01, 0< 04 05 02 00 40 | 4
    a success without its return parameters | 0< 04 0E 04 01 14 0C 00 | 3
    what comes after something that a fault has changed | 0!, 0< 04 05 02 00 40, 0< 04 05 02 00 40 | 5
    `,
  );
  for (const [what, records, numbers] of captures) {
    it(`${numbers === '-' ? 'lets pass' : 'finds'} ${what}`, async () => {
      const malformedRecords = await malformed(captured(...records.split(', ')));
      expect(malformedRecords).to.deep.equal(numbers === '-' ? [] : [Number(numbers)]);
    });
  }
});
