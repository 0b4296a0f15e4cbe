/** The cases that the codecs of all protocols have in common. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { it } from 'mocha';
import type { ParseError } from '../../src/codecs/index.js';
import { bytes } from './hci-host.js';

interface Codec<A> {
  readonly encode: (value: A) => Buffer;
  readonly decode: (packet: Buffer) => E.Either<ParseError, A>;
}

const RUNS = 2000;

/** Golden bytes in hex, both ways. */
export const itWritesAndReads = <A>(
  { encode, decode }: Codec<A>,
  golden: readonly (readonly [title: string, hex: string, value: A])[],
): void => {
  for (const [title, hex, value] of golden) {
    it(`writes and reads ${title}`, () => {
      expect(encode(value)).to.deep.equal(bytes(hex));
      expect(decode(bytes(hex))).to.deep.equal(E.right(value));
    });
  }
};

export const itRefuses = (
  { decode }: Pick<Codec<unknown>, 'decode'>,
  refused: readonly (readonly [title: string, hex: string, message: string])[],
): void => {
  for (const [title, hex, message] of refused) {
    it(`refuses ${title}`, () => {
      expect(decode(bytes(hex))).to.deep.equal(
        E.left({ _tag: 'ParseError', code: 'invalid_input', message }),
      );
    });
  }
};

/** `likely`: packets that begin like the protocol's; others are tried too. */
export const itTakesAnyBytes = <A>({ encode, decode }: Codec<A>, likely: fc.Arbitrary<Buffer>): void => {
  const anything = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array));
  it('takes any bytes without throwing, and writes back what it understood', () => {
    fc.assert(
      fc.property(fc.oneof(likely, anything), (packet) => {
        const read = decode(packet);
        if (E.isRight(read)) expect(encode(read.right)).to.deep.equal(packet);
      }),
      { numRuns: RUNS },
    );
  });
};

export const itReadsBack = <A>({ encode, decode }: Codec<A>, values: fc.Arbitrary<A>): void => {
  it('reads back all that it writes', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(decode(encode(value))).to.deep.equal(E.right(value));
      }),
    );
  });
};
