/** Messages to a WebSocket: what a contract has, and beyond it. */
import * as fc from 'fast-check';
import { requestOf, type Socket } from '../../src/contract/index.js';
import { bodies, type Known } from './values.js';

export interface Message {
  readonly bytes: Buffer;
  /** `raw`: bytes on the connection itself, whatever frame they make. */
  readonly as: 'text' | 'binary' | 'ping' | 'raw';
}

export const messages = ({ commands }: Socket<unknown>, known: Known): fc.Arbitrary<Message> => {
  const schemas = Object.entries(commands).map(([name, command]) => requestOf(name, command).schema.input);
  return fc.record({
    bytes: fc.oneof(...(schemas.length === 0 ? [{}] : schemas).map((schema) => bodies(schema, known))),
    as: fc.oneof(
      { weight: 40, arbitrary: fc.constant('text' as const) },
      { weight: 2, arbitrary: fc.constantFrom('binary', 'ping', 'raw') },
    ),
  });
};
