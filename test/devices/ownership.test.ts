import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import type { DeviceError } from '../../src/devices/device-error.js';
import { ALONE, searched, type Ownership } from '../../src/devices/ownership.js';
import { DEVICE } from '../support/fake-fleet.js';

const NOT_FOUND: E.Either<DeviceError, never> = E.left({ _tag: 'NotFound', address: DEVICE });
const OWNED: DeviceError = { _tag: 'OwnedElsewhere', address: DEVICE, owner: 'two' };
const ELSEWHERE: E.Either<DeviceError, never> = E.left(OWNED);

describe('A search for a device', () => {
  let owned = false;
  const ownership: Ownership = { ...ALONE, check: () => (owned ? ELSEWHERE : E.right(undefined)) };

  it('does not begin if another server has it', async () => {
    owned = true;
    const search = (): Promise<never> => expect.fail('it began');
    expect(await searched(ownership, DEVICE, search)()).to.deep.equal(ELSEWHERE);
  });

  it('names the server that has an unfound device, if it is known by now', async () => {
    owned = false;
    const search = (): Promise<typeof NOT_FOUND> => {
      owned = true;
      return Promise.resolve(NOT_FOUND);
    };
    expect(await searched(ownership, DEVICE, search)()).to.deep.equal(ELSEWHERE);
  });

  it('reports an unfound device as not found if no server has it', async () => {
    owned = false;
    expect(await searched(ownership, DEVICE, () => Promise.resolve(NOT_FOUND))()).to.deep.equal(NOT_FOUND);
  });
});
