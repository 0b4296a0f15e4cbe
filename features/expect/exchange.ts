/** A request of a client and its outcome: the head and the end of the text about a failed step. */
import { Failure, Mismatch } from './expect.js';

export interface Exchange {
  /** A request, a message, or the stream of a message. */
  readonly asked: string;
  /** Undefined: nothing came yet. */
  readonly came?: string;
}

const LONGEST = 1000;

export const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** The stack without its message. */
const framesOf = ({ stack = '', message }: Error): string => {
  const at = stack.indexOf(message);
  return at < 0 ? `\n${stack}` : stack.slice(at + message.length);
};

/** The failure of a step, with the exchange that it is about; that of the code has the stack in its text. */
export const told = (error: unknown, exchange?: Exchange): unknown => {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  const text = [exchange?.asked, error.message, exchange?.came]
    .filter((line) => line !== undefined)
    .join('\n');
  const isOfValues =
    error instanceof Mismatch || error.constructor === Error || error.name === 'AssertionError';
  return new Failure(isOfValues ? text : `${error.name}: ${text}${framesOf(error)}`, { cause: error });
};
