/**
 * The one L2CAP signalling request of LE that a central's host must answer: Connection Parameter Update
 * (Core 5.4 Vol 3 Part A 4.20 and 4.21).
 */
import { layout, u16, u8 } from '../../bytes/index.js';
import {
  ACL_HEADER,
  Boundary,
  Channel,
  PacketType,
  aclData,
  aclHandle,
  encodeAcl,
  encodeCommand,
} from './packets.js';

/** Codes of the signalling packets of LE (Core 5.4 Vol 3 Part A 4). */
export const SignalCode = {
  commandReject: 0x01,
  disconnectionRequest: 0x06,
  disconnectionResponse: 0x07,
  connectionParameterUpdateRequest: 0x12,
  connectionParameterUpdateResponse: 0x13,
  leCreditBasedConnectionRequest: 0x14,
  leCreditBasedConnectionResponse: 0x15,
  flowControlCreditIndication: 0x16,
  creditBasedConnectionRequest: 0x17,
  creditBasedConnectionResponse: 0x18,
  creditBasedReconfigureRequest: 0x19,
  creditBasedReconfigureResponse: 0x1a,
} as const;

/** The start of all signalling packets: the header of L2CAP, and their own header. */
const header = { length: u16, channel: u16, code: u8, identifier: u8, dataLength: u16 };

/** Intervals in units of 1.25 ms, timeout in units of 10 ms. */
const request = layout({ ...header, min: u16, max: u16, latency: u16, timeout: u16 });
const response = layout({ ...header, result: u16 });

const ACCEPTED = 0;
const REJECTED = 1;

/** Whether connection parameters are within the limits of the specification (Core 5.4 Vol 4 Part E 7.8.18). */
export const areParametersAllowed = (min: number, max: number, latency: number, timeout: number): boolean =>
  min >= 6 &&
  min <= max &&
  max <= 3200 &&
  latency <= 499 &&
  timeout >= 10 &&
  timeout <= 3200 &&
  timeout * 10 > (1 + latency) * max * 1.25 * 2;

/**
 * The packets that answer an ACL packet with such a request: the response, and LE Connection Update if the parameters
 * are allowed. Undefined for every other packet.
 */
export const answerParameterRequest = (packet: Buffer): readonly Buffer[] | undefined => {
  if (packet[0] !== PacketType.acl || packet.length !== ACL_HEADER + request.size) return undefined;
  const { channel, code, identifier, min, max, latency, timeout } = request.read(aclData(packet));
  if (channel !== Channel.signalling || code !== SignalCode.connectionParameterUpdateRequest)
    return undefined;
  const handle = aclHandle(packet);
  const accepted = areParametersAllowed(min, max, latency, timeout);
  const answer = response.write({
    ...{ length: 6, channel, code: SignalCode.connectionParameterUpdateResponse, identifier },
    ...{ dataLength: 2, result: accepted ? ACCEPTED : REJECTED },
  });
  const reply = encodeAcl(handle, Boundary.firstFromHost, answer);
  if (!accepted) return [reply];
  const update = encodeCommand('leConnectionUpdate', {
    handle,
    ...{ connectionIntervalMin: min, connectionIntervalMax: max },
    ...{ maxLatency: latency, supervisionTimeout: timeout, minCeLength: 0, maxCeLength: 0 },
  });
  return [reply, update];
};
