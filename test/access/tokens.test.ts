import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { beforeEach, describe, it } from 'mocha';
import { tokenAccess, type Token } from '../../src/access/access.js';
import { parseTokens, readTokenFile, singleToken } from '../../src/access/tokens.js';
import { left } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { requireUnix } from '../support/require.js';

const HALL = { name: 'hall', token: 'hall-token-0123456789', scope: 'full' } as const;
const WALL = { name: 'wall', token: 'wall-token-0123456789', scope: 'read' } as const;

const sentenceOf = (given: unknown): string =>
  left(parseTokens(typeof given === 'string' ? given : JSON.stringify(given)));

const WRONG: Readonly<Record<string, readonly [given: unknown, message: RegExp]>> = {
  'no JSON': [`[{"token": "${HALL.token}"`, /^it is not valid JSON$/],
  'no array': [HALL, /^it must be a JSON array of tokens$/],
  'no token at all': [[], /^it must hold at least one token$/],
  'a text in place of an object': [[HALL, HALL.token], /^\[1\] must be a JSON object$/],
  'a name that is missing': [[{ ...HALL, name: undefined }], /^\[0\]\.name is missing: /],
  'an empty name': [[HALL, { ...WALL, name: '' }], /^\[1\]\.name must be 1 to 64 letters/],
  'a token that is too short': [[{ ...HALL, token: 'short-secret' }], /^\[0\]\.token must be 16 to 256 /],
  'a token that no header takes': [[{ ...HALL, token: 'with a space 0123456789' }], /^\[0\]\.token must be /],
  'a token that is a number': [[{ ...HALL, token: 1234567890123456 }], /^\[0\]\.token must be /],
  'another scope': [[HALL, { ...WALL, scope: 'write' }], /^\[1\]\.scope must be full or read$/],
  'a name twice': [[HALL, WALL, { ...HALL, token: WALL.token }], /^\[2\]\.name is that of another token$/],
  'a token twice': [[HALL, { ...WALL, token: HALL.token }], /^\[1\]\.token is that of another name$/],
};

describe('Tokens', () => {
  for (const [what, [given, message]] of Object.entries(WRONG)) {
    it(`are refused with a message for ${what}`, () => {
      expect(sentenceOf(given)).to.match(message);
    });
  }

  it('are in no message, whatever is wrong with them', () => {
    const secret = 'no-message-has-this';
    const texts = fc.string({ unit: fc.constantFrom('"', '[', '{', ' ', 'ä', '\n', ',', '-') });
    const token = fc.tuple(texts, texts).map(([before, after]) => `${before}${secret}${after}`);
    const wrong = fc.oneof(
      token,
      fc.record({ name: token, token, scope: token }, { requiredKeys: [] }),
      fc.array(fc.oneof(token, fc.record({ name: token, token, scope: token }, { requiredKeys: [] }))),
    );
    fc.assert(
      fc.property(wrong, (given) => {
        expect(sentenceOf(given)).to.not.include(secret);
      }),
    );
    for (const bad of ['short-secret', `${secret}?`, '']) {
      expect(singleToken('AIRBENCH_TOKEN', bad)).to.deep.equal(
        E.left('AIRBENCH_TOKEN must be 16 to 256 letters, digits or -._~'),
      );
    }
  });

  it('of a variable may do everything', () => {
    expect(singleToken('AIRBENCH_TOKEN', HALL.token)).to.deep.equal(
      E.right({ name: 'AIRBENCH_TOKEN', scope: 'full', token: HALL.token }),
    );
  });
});

describe('Access', () => {
  const nameOf = (tokens: readonly Token[], token: string | undefined): string | undefined =>
    tokenAccess(tokens).identify(token)?.name;

  it('knows who has a token by all of it', () => {
    const tokens = [HALL, WALL];
    expect(nameOf(tokens, HALL.token)).to.equal('hall');
    expect(nameOf(tokens, WALL.token)).to.equal('wall');
    for (const token of [undefined, '', HALL.token.slice(1), `${HALL.token}x`, HALL.token.toUpperCase()])
      expect(nameOf(tokens, token)).to.equal(undefined);
  });

  it('is lost with the token, its name or its scope, and by nothing else', () => {
    const access = tokenAccess([HALL, WALL]);
    let changes = 0;
    const stop = access.onChange(() => (changes += 1));
    const hall = access.identify(HALL.token);
    const wall = access.identify(WALL.token);
    if (hall === undefined || wall === undefined) expect.fail('a token is not known');
    const revoked = (): readonly boolean[] => [hall, wall].map(access.isRevoked);

    access.replace([{ name: 'new', token: 'new-token-0123456789', scope: 'full' }, WALL, HALL]);
    expect(revoked()).to.deep.equal([false, false]);
    access.replace([HALL, { ...WALL, scope: 'full' }]);
    expect(revoked()).to.deep.equal([false, true]);
    expect(access.identify(WALL.token)?.scope).to.equal('full');
    access.replace([{ ...HALL, token: 'another-token-0123456789' }]);
    expect(revoked()).to.deep.equal([true, true]);
    expect(changes).to.equal(3);
    stop();
    access.replace([]);
    expect(changes).to.equal(3);
  });
});

describe('A file of tokens', () => {
  let path: string;
  beforeEach(function () {
    requireUnix(this, 'modes of files');
    path = join(newFolder(), 'tokens.json');
    writeFileSync(path, JSON.stringify([HALL]));
  });

  for (const mode of [0o600, 0o640, 0o400, 0o660]) {
    it(`is read with the mode ${mode.toString(8)}`, () => {
      chmodSync(path, mode);
      expect(readTokenFile(path)).to.deep.equal(E.right([HALL]));
    });
  }

  for (const mode of [0o644, 0o604, 0o602, 0o666]) {
    it(`is refused with the mode ${mode.toString(8)}, and the message says how to mend it`, () => {
      chmodSync(path, mode);
      expect(readTokenFile(path)).to.deep.equal(
        E.left(`it cannot be used: other users can read or change it: chmod 640 ${path}`),
      );
    });
  }

  it('is refused where it is missing or a folder', () => {
    expect(readTokenFile(join(path, 'x'))).to.satisfy(E.isLeft);
    expect(readTokenFile(`${path}.x`)).to.deep.equal(
      E.left('it cannot be used: there is no such file or folder'),
    );
    const folder = newFolder();
    chmodSync(folder, 0o700);
    expect(readTokenFile(folder)).to.satisfy(E.isLeft);
  });
});
