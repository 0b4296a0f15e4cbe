/** The tokens of clocks in captures: they allow everything with a clock. */
import * as E from 'fp-ts/lib/Either.js';
import { AttOpcode } from '../../src/ble/hci/att.js';
import { Channel } from '../../src/ble/hci/packets.js';
import { decodeCommand, TOKEN_BYTES, type Command } from '../../src/protocols/cgd1/index.js';
import { L2CAP_HEADER, aclHead } from '../ble/l2cap.js';
import { Kind } from '../radio/medium/monitor.js';
import type { TraceRecord } from '../radio/medium/trace.js';

const ACL_HEADER = 4;
/** Length of an ATT write's header: opcode and handle. */
const WRITE_HEADER = 3;

const VALUE_AT = ACL_HEADER + L2CAP_HEADER + WRITE_HEADER;

const WRITES: readonly (number | undefined)[] = [AttOpcode.writeRequest, AttOpcode.writeCommand];

const isAuthentication = (command: E.Either<unknown, Command>): boolean =>
  E.isRight(command) && (command.right._tag === 'AuthInit' || command.right._tag === 'AuthConfirm');

/** Whether a packet writes a token to a clock, as both steps of its authentication do (docs/cgd1-protocol.md). */
const hasToken = ({ kind, body }: TraceRecord): boolean =>
  (kind === Kind.aclFromHost || kind === Kind.aclToHost) &&
  body.length > VALUE_AT &&
  !aclHead(body).continues &&
  body.readUInt16LE(ACL_HEADER + 2) === Channel.att &&
  WRITES.includes(body[ACL_HEADER + L2CAP_HEADER]) &&
  isAuthentication(decodeCommand('auth', body.subarray(VALUE_AT)));

/** The record with zeros in the place of a token. */
export const withoutToken = (record: TraceRecord): TraceRecord =>
  hasToken(record)
    ? { ...record, body: Buffer.concat([record.body.subarray(0, -TOKEN_BYTES), Buffer.alloc(TOKEN_BYTES)]) }
    : record;
