import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import {
  enableNotifications,
  isResponse,
  readValue,
  writeCommand,
  writeValue,
  type SendRequest,
} from '../../src/ble/noble/gatt.js';
import { bytes } from '../support/hci-host.js';

const HANDLE = 0x0125;
const MTU = 23;

/** A value whose bytes count up from 0. */
const counting = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => index & 0xff));

/** PDUs as Core 5.4 Vol 3 Part F 3.4 lays them out. */
describe('Requests of ATT', () => {
  let requests: string[];
  let responses: Buffer[];
  const sendRequest: SendRequest = (request) => {
    requests.push(request.toString('hex'));
    return Promise.resolve(responses.shift() ?? expect.fail(`no response to ${request.toString('hex')}`));
  };
  const refusedBy = (outcome: E.Either<{ readonly reason: string }, unknown>): string =>
    E.isLeft(outcome) ? outcome.left.reason : expect.fail('nothing was refused');

  beforeEach(() => {
    requests = [];
    responses = [];
  });

  describe('to read a value', () => {
    it('are one where it fits a packet', async () => {
      responses = [Buffer.concat([bytes('0B'), counting(MTU - 2)])];
      expect(await readValue(sendRequest, HANDLE, MTU)).to.deep.equal(E.right(counting(MTU - 2)));
      expect(requests).to.deep.equal(['0a2501']);
    });

    it('go on behind a full packet, until one is not full', async () => {
      const value = counting(50);
      responses = [
        Buffer.concat([bytes('0B'), value.subarray(0, 22)]),
        Buffer.concat([bytes('0D'), value.subarray(22, 44)]),
        Buffer.concat([bytes('0D'), value.subarray(44)]),
      ];
      expect(await readValue(sendRequest, HANDLE, MTU)).to.deep.equal(E.right(value));
      expect(requests).to.deep.equal(['0a2501', '0c25011600', '0c25012c00']);
    });

    for (const [what, code] of [
      ['not long', '0B'],
      ['not as long as that', '07'],
      ['asked for what it does not support', '06'],
    ] as const)
      it(`have it whole when the device says that it is ${what}`, async () => {
        responses = [Buffer.concat([bytes('0B'), counting(22)]), bytes(`01 0C 25 01 ${code}`)];
        expect(await readValue(sendRequest, HANDLE, MTU)).to.deep.equal(E.right(counting(22)));
      });

    it('fail when the device refuses what is behind the first packet for another reason', async () => {
      responses = [Buffer.concat([bytes('0B'), counting(22)]), bytes('01 0C 25 01 02')];
      expect(refusedBy(await readValue(sendRequest, HANDLE, MTU))).to.equal(
        'the device refused: read not permitted (0x02)',
      );
    });

    it('end after 512 bytes, however much more a device has', async () => {
      responses = Array.from({ length: 24 }, (_, index) =>
        Buffer.concat([bytes(index === 0 ? '0B' : '0D'), counting(22)]),
      );
      expect(E.map(({ length }: Buffer) => length)(await readValue(sendRequest, HANDLE, MTU))).to.deep.equal(
        E.right(528),
      );
      expect(responses).to.have.length(0);
    });
  });

  describe('to write a value', () => {
    it('are one where it fits a packet', async () => {
      responses = [bytes('13')];
      expect(await writeValue(sendRequest, HANDLE, counting(MTU - 3), MTU)).to.deep.equal(E.right(undefined));
      expect(requests).to.deep.equal([`122501${counting(20).toString('hex')}`]);
    });

    it('prepare the parts of a longer one, and then execute them', async () => {
      const value = counting(21);
      responses = [
        Buffer.concat([bytes('17 25 01 00 00'), value.subarray(0, 18)]),
        Buffer.concat([bytes('17 25 01 12 00'), value.subarray(18)]),
        bytes('19'),
      ];
      expect(await writeValue(sendRequest, HANDLE, value, MTU)).to.deep.equal(E.right(undefined));
      expect(requests).to.deep.equal([
        `1625010000${value.toString('hex', 0, 18)}`,
        `1625011200${value.toString('hex', 18)}`,
        '1801',
      ]);
    });

    it('cancel all parts when one is refused', async () => {
      responses = [
        Buffer.concat([bytes('17 25 01 00 00'), counting(18)]),
        bytes('01 16 25 01 09'),
        bytes('19'),
      ];
      expect(refusedBy(await writeValue(sendRequest, HANDLE, counting(21), MTU))).to.equal(
        'the device refused: prepare queue full (0x09)',
      );
      expect(requests.at(-1)).to.equal('1800');
    });

    it('fail when the parts are refused as a whole', async () => {
      responses = [
        Buffer.concat([bytes('17 25 01 00 00'), counting(18)]),
        Buffer.concat([bytes('17 25 01 12 00'), counting(3)]),
        bytes('01 18 25 01 0D'),
      ];
      expect(refusedBy(await writeValue(sendRequest, HANDLE, counting(21), MTU))).to.equal(
        'the device refused: invalid length (0x0D)',
      );
    });

    for (const [what, response, reason] of [
      ['an error', '01 12 25 01 03', 'the device refused: write not permitted (0x03)'],
      ['an error of its own', '01 12 25 01 80', 'the device refused: ATT error (0x80)'],
    ] as const)
      it(`fail by ${what}`, async () => {
        responses = [bytes(response)];
        expect(refusedBy(await writeValue(sendRequest, HANDLE, counting(1), MTU))).to.equal(reason);
      });

    it('are a command where no response is wanted', () => {
      expect(writeCommand(HANDLE, counting(2)).toString('hex')).to.equal('5225010001');
    });
  });

  describe('to enable', () => {
    const attributes = { startHandle: 0x0124, endHandle: 0x0130, valueHandle: HANDLE };

    for (const [what, properties, before, after] of [
      ['notifications', 0x10, '0000', '0100'],
      ['notifications of a value that has both', 0x30, '0000', '0100'],
      ['indications', 0x20, '0000', '0200'],
      ['notifications beside what is enabled', 0x10, '0200', '0300'],
    ] as const)
      it(`${what} write the client configuration`, async () => {
        responses = [bytes(`09 04 26 01 ${before}`), bytes('13')];
        expect(await enableNotifications(sendRequest, { ...attributes, properties })).to.deep.equal(
          E.right(undefined),
        );
        expect(requests).to.deep.equal(['08240130010229', `122601${after}`]);
      });

    it('notifications fail where there is no client configuration, or half of one', async () => {
      responses = [bytes('01 08 24 01 0A')];
      expect(refusedBy(await enableNotifications(sendRequest, { ...attributes, properties: 0x10 }))).to.equal(
        'the device refused: attribute not found (0x0A)',
      );
      responses = [bytes('09 04 26 01')];
      expect(refusedBy(await enableNotifications(sendRequest, { ...attributes, properties: 0x10 }))).to.equal(
        'the response is too short: 09042601',
      );
    });
  });

  for (const [what, response, is] of [
    ['is the one with the next opcode', '13', true],
    ['is an error to the request', '01 12 25 01 03', true],
    ['is no error to another request', '01 52 25 01 03', false],
    ['is no half of an error', '01 12', false],
    ['belongs to another request', '0B 01', false],
    ['is not nothing', '', false],
  ] as const)
    it(`have a response that ${what}`, () => {
      expect(isResponse(bytes('12 25 01 00'), bytes(response))).to.equal(is);
    });
});
