/**
 * The one L2CAP signalling request of LE that a central's host must answer: Connection Parameter Update
 * (Core 5.4 Vol 3 Part A 4.20 and 4.21).
 */
import { Boundary, Channel, PacketType, encodeAcl, encodeCommand } from './packets.js';

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
} as const;

const REQUEST_LENGTH = 8;
const ACCEPTED = 0;
const REJECTED = 1;

/** The limits of the specification (Core 5.4 Vol 4 Part E 7.8.18): intervals in 1.25 ms, timeout in 10 ms. */
const allowed = (min: number, max: number, latency: number, timeout: number): boolean =>
  min >= 6 &&
  min <= max &&
  max <= 3200 &&
  latency <= 499 &&
  timeout >= 10 &&
  timeout <= 3200 &&
  timeout * 10 > (1 + latency) * max * 1.25 * 2;

/**
 * The packets to send for an ACL packet that is such a request: the response, and LE Connection Update if the
 * parameters are allowed.
 * Undefined for every other packet.
 */
export const answerParameterRequest = (packet: Buffer): readonly Buffer[] | undefined => {
  if (packet[0] !== PacketType.acl || packet.length !== 13 + REQUEST_LENGTH) return undefined;
  if (
    packet.readUInt16LE(7) !== Channel.signalling ||
    packet[9] !== SignalCode.connectionParameterUpdateRequest
  )
    return undefined;
  const handle = packet.readUInt16LE(1) & 0x0fff;
  const identifier = packet.readUInt8(10);
  const [min, max, latency, timeout] = [13, 15, 17, 19].map((offset) => packet.readUInt16LE(offset)) as [
    number,
    number,
    number,
    number,
  ];
  const accepted = allowed(min, max, latency, timeout);
  const response = Buffer.from([
    6,
    0,
    Channel.signalling,
    0,
    SignalCode.connectionParameterUpdateResponse,
    identifier,
    2,
    0,
    0,
    0,
  ]);
  response.writeUInt16LE(accepted ? ACCEPTED : REJECTED, 8);
  const answer = encodeAcl(handle, Boundary.firstFromHost, response);
  if (!accepted) return [answer];
  const update = encodeCommand('leConnectionUpdate', {
    handle,
    connectionIntervalMin: min,
    connectionIntervalMax: max,
    maxLatency: latency,
    supervisionTimeout: timeout,
    minCeLength: 0,
    maxCeLength: 0,
  });
  return [answer, update];
};
