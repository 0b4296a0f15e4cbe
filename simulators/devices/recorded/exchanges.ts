/** A link's ATT packets, as requests with their responses and notifications. */
import { AttOpcode, COMMAND_BIT } from '../../../src/ble/hci/att.js';
import type { RecordedPdu } from './links.js';

export interface Exchange {
  readonly request: Buffer;
  /** Undefined: the request needs none, or none was received. */
  response: Buffer | undefined;
  /** When the response was received; without one, when the request was sent. Milliseconds. */
  at: number;
}

/** A packet that the device sent without a request of the host. */
export type Unsolicited =
  | {
      readonly kind: 'value';
      readonly handle: number;
      readonly value: Buffer;
      /** An indication, which the host confirms; else a notification. */
      readonly confirmed: boolean;
    }
  | { readonly kind: 'mtuRequest'; readonly mtu: number };

export type Step =
  | ({ readonly kind: 'exchange' } & Exchange)
  | {
      readonly kind: 'unsolicited';
      readonly pdu: Unsolicited;
      readonly at: number;
      /** The request of the host that the device had not answered yet. */
      readonly during: Exchange | undefined;
    };

const isResponseTo = (request: Buffer, pdu: Buffer): boolean =>
  pdu[0] === AttOpcode.errorResponse ? pdu[1] === request[0] : pdu[0] === request.readUInt8(0) + 1;

const unsolicitedOpcodes: readonly number[] = [
  AttOpcode.handleValueNotification,
  AttOpcode.handleValueIndication,
  AttOpcode.exchangeMtuRequest,
];

const unsolicitedOf = (pdu: Buffer): Unsolicited => {
  const [opcode, first] = [pdu.readUInt8(0), pdu.readUInt16LE(1)];
  if (opcode === AttOpcode.exchangeMtuRequest) return { kind: 'mtuRequest', mtu: first };
  const confirmed = opcode === AttOpcode.handleValueIndication;
  return { kind: 'value', handle: first, value: pdu.subarray(3), confirmed };
};

/** Requests with their responses, and unsolicited packets of the device, in the order in which they began. */
export const stepsOf = (pdus: readonly RecordedPdu[]): readonly Step[] => {
  const steps: Step[] = [];
  let waiting: Exchange | undefined;
  for (const { fromDevice, pdu, at } of pdus) {
    const opcode = pdu.readUInt8(0);
    if (fromDevice && unsolicitedOpcodes.includes(opcode)) {
      if (pdu.length >= 3) steps.push({ kind: 'unsolicited', pdu: unsolicitedOf(pdu), at, during: waiting });
    } else if (fromDevice) {
      // Both sides send requests on one channel: a packet that answers no request of the host is a request of the device.
      if (waiting === undefined || !isResponseTo(waiting.request, pdu)) continue;
      waiting.response = pdu;
      waiting.at = at;
      waiting = undefined;
    } else if (opcode !== AttOpcode.handleValueConfirmation && (opcode % 2 === 0 || opcode > COMMAND_BIT)) {
      const exchange = { kind: 'exchange' as const, request: pdu, response: undefined, at };
      steps.push(exchange);
      if ((opcode & COMMAND_BIT) === 0) waiting = exchange;
    }
  }
  return steps;
};
