import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import type { DeviceError } from '../../src/devices/device-error.js';
import { ALONE, searched, type Ownership } from '../../src/devices/ownership.js';
import { DEVICE } from '../support/fake-fleet.js';

const NOT_FOUND: E.Either<DeviceError, never> = E.left({ _tag: 'NotFound', address: DEVICE });
const OWNED: DeviceError = { _tag: 'OwnedElsewhere', address: DEVICE, owner: 'two' };
const ELSEWHERE: E.Either<DeviceError, never> = E.left(OWNED);

const NOTHING = E.right(undefined);

describe('A search for a device', () => {
  for (const [title, before, after, outcome] of [
    ['does not begin if another server has the device', ELSEWHERE, undefined, ELSEWHERE],
    ['names the server that has claimed the device meanwhile', NOTHING, ELSEWHERE, ELSEWHERE],
    ['reports a device as not found if no server has it', NOTHING, NOTHING, NOT_FOUND],
  ] as const)
    it(title, async () => {
      let owned: ReturnType<Ownership['check']> = before;
      const search = (): Promise<typeof NOT_FOUND> => {
        if (after === undefined) expect.fail('it began');
        owned = after;
        return Promise.resolve(NOT_FOUND);
      };
      const ownership: Ownership = { ...ALONE, check: () => owned };
      expect(await searched(ownership, DEVICE, search)()).to.deep.equal(outcome);
    });
});
