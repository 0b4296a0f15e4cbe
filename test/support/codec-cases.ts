/** The cases that the codecs of all protocols have in common. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { it } from 'mocha';
import type { ParseError } from '../../src/codecs/index.js';
import { bytes } from './hci-host.js';
import { rows } from './rows.js';

interface Codec<A> {
  readonly encode: (value: A) => Buffer;
  readonly decode: (packet: Buffer) => E.Either<ParseError, A>;
}

const RUNS = 2000;

const revive = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (/^\d+n$/u.test(value)) return BigInt(value.slice(0, -1));
  if (/^x([0-9a-f]{2})*$/iu.test(value)) return Buffer.from(value.slice(1), 'hex');
  return /^\d{4}-\d\d-\d\dT/u.test(value) ? new Date(value) : value;
};

/**
 * The value of a cell: a tag, fields, or both, as in `Rssi { rssi: -60 }`; `"x00FF"` is a buffer, `"7n"` a bigint, and a time
 * a date.
 */
export const valueOf = (cell: string): unknown => {
  const [, tag = '', json = ''] = /^([A-Z]\w*)?(.*)$/u.exec(cell) ?? [];
  const value: unknown = JSON.parse(json.replace(/([{,] *)(\w+):/gu, '$1"$2":') || '{}', revive);
  return tag === '' ? value : { _tag: tag, ...(value as object) };
};

/** Golden bytes in hex, both ways: title, bytes, and the value as `valueOf` reads it. */
export const itWritesAndReads = <A>(
  { encode, decode }: Codec<A>,
  golden: string | readonly (readonly [title: string, hex: string, value: A])[],
): void => {
  const cases =
    typeof golden === 'string'
      ? rows(3, golden).map(([title, hex, cell]) => [title, hex, valueOf(cell) as A] as const)
      : golden;
  for (const [title, hex, value] of cases) {
    it(`writes and reads ${title}`, () => {
      expect(encode(value)).to.deep.equal(bytes(hex));
      expect(decode(bytes(hex))).to.deep.equal(E.right(value));
    });
  }
};

/** `table`: title, bytes, message. */
export const itRefuses = ({ decode }: Pick<Codec<unknown>, 'decode'>, table: string): void => {
  for (const [title, hex, message] of rows(3, table)) {
    it(`refuses ${title}`, () => {
      expect(decode(bytes(hex))).to.deep.equal(
        E.left({ _tag: 'ParseError', code: 'invalid_input', message }),
      );
    });
  }
};

/** `likely`: packets that begin like packets of the protocol; the test also takes random bytes. */
export const itTakesAnyBytes = <A>({ encode, decode }: Codec<A>, likely: fc.Arbitrary<Buffer>): void => {
  const anything = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array));
  it('takes any bytes without throwing, and writes read packets back', () => {
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
  it('reads every value that it writes', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(decode(encode(value))).to.deep.equal(E.right(value));
      }),
    );
  });
};
