/** Devices that do not come up, or do not close in order: the effects on other devices and on later requests. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { flow } from 'fp-ts/lib/function.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { fromDeviceError } from '../../simulators/control/errors.js';
import { World, codecs, decodeSpecs, deviceKind, type DeviceKind } from '../../simulators/control/index.js';
import { Air, H4Server } from '../../simulators/radio/index.js';
import { signalled } from '../support/bluetooth-fixture.js';
import { otherTurns } from '../support/hci-host.js';
import { left, right } from '../support/either.js';

const ADDRESSES = ['C0:DE:02:00:00:01', 'C0:DE:02:00:00:02', 'C0:DE:02:00:00:03'];

describe('Devices that fail', () => {
  let world: World;
  /** The devices that were made and closed, in this order. */
  let made: string[];
  let closed: string[];
  let broken: boolean;
  let ready: Promise<void>;

  const toaster = deviceKind({
    addressPrefix: 'C0:DE:02',
    addressType: 'random',
    start: codecs.closedObject({
      fails: codecs.withDefault(codecs.oneOf(['never', 'at its start', 'at its end']), 'never'),
    }),
    actions: {},
    behaviour: codecs.closedObject({}),
    make: ({ fails }, _behaviour, { address, createPeripheral }) => {
      if (fails === 'at its start' && broken) throw new Error('it burns');
      made.push(address);
      return {
        peripheral: createPeripheral({ name: 'Toaster', services: [], advertises: [] }),
        model: () => ({ fails }),
        actions: {},
        setBehaviour: () => undefined,
        close: () => {
          closed.push(address);
          if (fails === 'at its end' && broken) throw new Error('it jams');
        },
      };
    },
  });

  const slowToaster: DeviceKind = {
    ...toaster,
    prepare: flow(
      toaster.prepare,
      E.map(({ addressType, make }) => ({
        addressType,
        make: async (context) => {
          const device = await make(context);
          await ready;
          return device;
        },
      })),
    ),
  };

  beforeEach(() => {
    [made, closed, broken, ready] = [[], [], true, Promise.resolve()];
    const air = new Air();
    world = new World(air, new H4Server(air), { toaster: slowToaster });
  });
  afterEach(() => world.close());

  const specs = (...fails: readonly string[]) =>
    right(
      decodeSpecs(
        fails.map((when) => ({ kind: 'toaster', fails: when })),
        world.kinds,
      ),
    );
  const another = () => {
    const [spec] = specs('never');
    return spec === undefined ? expect.fail('no device') : world.add(spec)();
  };
  const listed = (): readonly string[] => world.list().map(({ address }) => address);

  it('at their start are reported, once all other devices are up', async () => {
    const error = left(await world.populate(specs('at its start', 'never'))());
    expect(fromDeviceError(error)).to.include({
      code: 'device_failed',
      message: 'the device C0:DE:02:00:00:01 did not come up: Error: it burns',
    });
    expect(listed()).to.deep.equal([ADDRESSES[1]]);
  });

  it('at their start let no slow device appear after the world is closed', async () => {
    const { promise, fulfil } = signalled();
    ready = promise;
    const populated = world.populate(specs('at its start', 'never'))();
    await otherTurns();
    const done = world.close();
    fulfil();
    left(await populated);
    await done;
    await otherTurns();
    expect([listed(), made, closed]).to.deep.equal([[], [ADDRESSES[1]], [ADDRESSES[1]]]);
  });

  it('at their start do not prevent later requests, nor a reset', async () => {
    left(await world.populate(specs('at its start', 'never'))());
    right(await another());
    expect(listed()).to.deep.equal([ADDRESSES[1], ADDRESSES[0]]);
    left(await world.reset(1)());
    expect(listed()).to.deep.equal([ADDRESSES[1]]);
    broken = false;
    right(await world.reset(1)());
    expect(listed().toSorted()).to.deep.equal(ADDRESSES.slice(0, 2));
  });

  it('at their end are reported and removed, and leave their addresses free', async () => {
    right(await world.populate(specs('at its end'))());
    const error = left(await world.remove('C0:DE:02:00:00:01')());
    expect(fromDeviceError(error)).to.include({
      code: 'device_failed',
      message: 'the device C0:DE:02:00:00:01 did not close in order: Error: it jams',
    });
    expect([listed(), closed]).to.deep.equal([[], [ADDRESSES[0]]]);
    right(await another());
    expect(listed()).to.deep.equal([ADDRESSES[0]]);
  });

  it('at their end are reported by a reset, which is complete and closes all other devices too', async () => {
    right(await world.populate(specs('never', 'at its end', 'never'))());
    left(await world.reset(1)());
    expect([listed().toSorted(), closed]).to.deep.equal([ADDRESSES, ADDRESSES]);
    closed = [];
    await world.close();
    expect([listed(), closed.toSorted()]).to.deep.equal([[], ADDRESSES]);
  });
});
