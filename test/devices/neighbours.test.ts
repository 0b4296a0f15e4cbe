import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { describe, it } from 'mocha';
import type { DeviceError } from '../../src/devices/device-error.js';
import { orOwnedElsewhere, type LinkedNeighbour } from '../../src/devices/neighbours.js';
import { DEVICE } from '../support/fake-fleet.js';

const address = DEVICE;
const NOT_FOUND: DeviceError = { _tag: 'NotFound', address };
const OWNED: DeviceError = { _tag: 'OwnedElsewhere', address, owner: 'two' };

/** Failures that another server may explain, and others. */
const UNREACHED: readonly DeviceError[] = [
  NOT_FOUND,
  { _tag: 'NotConnected', address, cause: 'lost' },
  { _tag: 'ConnectFailed', address, reason: 'no answer' },
  { _tag: 'LinkLost', address, reason: 8 },
  { _tag: 'Timeout', address, operation: 'connecting', ms: 10_000 },
];
const OTHERS: readonly DeviceError[] = [
  { _tag: 'Aborted' },
  { _tag: 'NotConnected', address, cause: 'disconnected' },
  { _tag: 'WrongDiceType', requested: 'd6', actual: 'd20' },
];

describe('A request to connect a device', () => {
  const failing = (error: DeviceError, linkedNeighbour: LinkedNeighbour) =>
    orOwnedElsewhere(linkedNeighbour, address, TE.left(error))();

  for (const error of UNREACHED)
    it(`names the server that has a link to the device after ${JSON.stringify(error)}`, async () => {
      const failed = await failing(error, () => () => Promise.resolve('two'));
      expect(failed).to.deep.equal(E.left(OWNED));
    });

  it('reports a device as not found if no server has a link to it', async () => {
    const failed = await failing(NOT_FOUND, () => () => Promise.resolve(undefined));
    expect(failed).to.deep.equal(E.left(NOT_FOUND));
  });

  for (const error of OTHERS)
    it(`asks no server after ${JSON.stringify(error)}`, async () => {
      const failed = await failing(error, () => () => expect.fail('a server was asked'));
      expect(failed).to.deep.equal(E.left(error));
    });
});
