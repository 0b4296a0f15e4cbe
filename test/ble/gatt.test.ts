import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import {
  enableNotifications,
  isResponse,
  readValue,
  writeCommand,
  writeValue,
  type SendRequest,
} from '../../src/ble/noble/gatt.js';
import { bytes } from '../support/hci-host.js';
import { rows } from '../support/rows.js';

const HANDLE = 0x0125;
const MTU = 23;

/** A value whose bytes count up from 0. */
const counting = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => index & 0xff));

/** `length` bytes of the counting value from an offset, in hex. */
const part = (length: number, offset = 0): string =>
  counting(offset + length)
    .subarray(offset)
    .toString('hex');

const attributes = { startHandle: 0x0124, endHandle: 0x0130, valueHandle: HANDLE };
const operations = {
  read: (send: SendRequest) => readValue(send, HANDLE, MTU),
  write: (send: SendRequest, bytesOfValue: number) => writeValue(send, HANDLE, counting(bytesOfValue), MTU),
  enable: (send: SendRequest, properties: number) => enableNotifications(send, { ...attributes, properties }),
};

/** Title; operation with its argument; responses; requests; the read value, or the reason of the failure. */
const conversations = rows(
  5,
  `
  reads in one request a value that fits a packet    | read 0   | 0B${part(21)} | 0a2501 | ${part(21)}
  reads more after a full packet until one is not full | read 0  | 0B${part(22)}, 0D${part(22, 22)}, 0D${part(6, 44)} | 0a2501, 0c25011600, 0c25012c00 | ${part(50)}
  accepts a full packet if the value is not long     | read 0  | 0B${part(22)}, 010C25010B | 0a2501, 0c25011600 | ${part(22)}
  accepts a full packet if the offset is invalid     | read 0   | 0B${part(22)}, 010C250107 | 0a2501, 0c25011600 | ${part(22)}
  accepts a full packet if the device reads no parts | read 0   | 0B${part(22)}, 010C250106 | 0a2501, 0c25011600 | ${part(22)}
  fails if the device refuses a part for another reason | read 0 | 0B${part(22)}, 010C250102 | 0a2501, 0c25011600 | the device refused: read not permitted (0x02)
  writes in one request a value that fits a packet   | write 20 | 13 | 122501${part(20)} | -
  writes a longer value in parts, and executes them  | write 21 | 1725010000${part(18)}, 1725011200${part(3, 18)}, 19 | 1625010000${part(18)}, 1625011200${part(3, 18)}, 1801 | -
  cancels all parts if one is refused                | write 21 | 1725010000${part(18)}, 0116250109, 19 | 1625010000${part(18)}, 1625011200${part(3, 18)}, 1800 | the device refused: prepare queue full (0x09)
  fails if the parts are refused as a whole          | write 21 | 1725010000${part(18)}, 1725011200${part(3, 18)}, 011825010D | 1625010000${part(18)}, 1625011200${part(3, 18)}, 1801 | the device refused: invalid length (0x0D)
  fails if a write is refused                        | write 1  | 0112250103 | 12250100 | the device refused: write not permitted (0x03)
  names an error that the device defines             | write 1  | 0112250180 | 12250100 | the device refused: ATT error (0x80)
  enables notifications                              | enable 0x10 | 090426010000, 13 | 08240130010229, 1226010100 | -
  prefers notifications to indications               | enable 0x30 | 090426010000, 13 | 08240130010229, 1226010100 | -
  enables indications                                | enable 0x20 | 090426010000, 13 | 08240130010229, 1226010200 | -
  enables notifications beside indications           | enable 0x10 | 090426010200, 13 | 08240130010229, 1226010300 | -
  fails without a client configuration               | enable 0x10 | 010824010A | 08240130010229 | the device refused: attribute not found (0x0A)
  fails with half a client configuration             | enable 0x10 | 09042601 | 08240130010229 | the response is too short: 09042601
  `,
);

/** PDUs as Core 5.4 Vol 3 Part F 3.4 lays them out. */
describe('An operation of ATT', () => {
  /** Performs an operation with a device that sends `responses`. */
  const perform = async (operation: string, responses: readonly Buffer[]) => {
    const requests: string[] = [];
    const [name = '', argument] = operation.split(' ');
    const outcome = await operations[name as keyof typeof operations]((request) => {
      requests.push(request.toString('hex'));
      return Promise.resolve(responses[requests.length - 1] ?? expect.fail('no response is left'));
    }, Number(argument));
    const result = E.isLeft(outcome) ? outcome.left.reason : (outcome.right?.toString('hex') ?? '-');
    return { requests, result };
  };

  for (const [title, operation, responses, requests, result] of conversations)
    it(title, async () => {
      expect(await perform(operation, responses.split(', ').map(bytes))).to.deep.equal({
        ...{ requests: requests.split(', '), result },
      });
    });

  it('ends a read after 512 bytes even if a device has more', async () => {
    const responses = Array.from({ length: 30 }, (_, index) =>
      bytes(`${index === 0 ? '0B' : '0D'}${part(22)}`),
    );
    const { requests, result } = await perform('read 0', responses);
    expect([requests.length, result.length / 2]).to.deep.equal([24, 528]);
  });

  it('writes by a command if no response is needed', () => {
    expect(writeCommand(HANDLE, counting(2)).toString('hex')).to.equal('5225010001');
  });

  for (const [title, response, expected] of [
    ['accepts the next opcode as its response', '13', true],
    ['accepts an error to the request as its response', '01 12 25 01 03', true],
    ['rejects an error to another request as its response', '01 52 25 01 03', false],
    ['rejects half an error as its response', '01 12', false],
    ['rejects the response to another request', '0B 01', false],
    ['rejects an empty PDU as its response', '', false],
  ] as const)
    it(title, () => {
      expect(isResponse(bytes('12 25 01 00'), bytes(response))).to.equal(expected);
    });
});
