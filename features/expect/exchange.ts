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

const AT = /\n\s+at /;

/** The error of a step, with the exchange that it is about; an error of the code keeps its stack. */
export const told = (error: unknown, exchange: Exchange | undefined): unknown => {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  const text = [exchange?.asked, error.message, exchange?.came]
    .filter((line) => line !== undefined)
    .join('\n');
  const isOfValues =
    error instanceof Mismatch || error.constructor === Error || error.name === 'AssertionError';
  if (isOfValues) return new Failure(text, { cause: error });
  const { stack = '' } = error;
  const withStack = new Error(text, { cause: error });
  withStack.stack = `${error.name}: ${text}${stack.slice(Math.max(0, stack.search(AT)))}`;
  return withStack;
};
