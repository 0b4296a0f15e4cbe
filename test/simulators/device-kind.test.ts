import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as E from 'fp-ts/lib/Either.js';
import { World, codecs, actionFailed, decodeSpecs, deviceKind } from '../../simulators/control/index.js';
import { Air, H4Server } from '../../simulators/radio/index.js';
import { right } from '../support/either.js';

/** A lamp, written as by a third party. */
const lampKind = deviceKind({
  addressPrefix: 'C0:DE:01',
  addressType: 'random',
  start: codecs.closedObject({ level: codecs.withDefault(codecs.integer(0, 9), 5) }),
  actions: { dim: codecs.closedObject({ level: codecs.integer(0, 9) }), smash: codecs.closedObject({}) },
  behaviour: codecs.closedObject({ stuck: codecs.withDefault(codecs.boolean, false) }),
  make: ({ level }, { stuck }, { createPeripheral, changed }) => {
    let state = { level, stuck };
    return {
      peripheral: createPeripheral({ name: 'Lamp', services: [], advertises: [] }),
      model: () => state,
      actions: {
        dim: (fields) => {
          if (!state.stuck) state = { ...state, level: fields.level };
          changed();
        },
        smash: () => E.left(actionFailed('unbreakable', 'the lamp cannot be smashed')),
      },
      setBehaviour: (behaviour) => {
        state = { ...state, stuck: behaviour.stuck };
      },
      close: () => undefined,
    };
  },
});

const message = (result: E.Either<unknown, unknown>): unknown =>
  E.isLeft(result) ? (result.left as { message?: string }).message : 'done';

describe('A kind of device', () => {
  let world: World;

  beforeEach(() => {
    const air = new Air();
    world = new World(air, new H4Server(air), { lamp: lampKind });
  });

  afterEach(() => world.close());

  const lamp = async (start: object = {}) => {
    const specs = right(decodeSpecs([{ kind: 'lamp', ...start }], world.kinds));
    right(await world.populate(specs)());
    return right(world.find('C0:DE:01:00:00:01'));
  };

  it('reads a start state, its behaviour included, with defaults', async () => {
    const usual = world.describe(await lamp());
    expect(usual).to.include({ name: 'Lamp', connected: false, advertising: true, level: 5, stuck: false });
    await world.close();
    expect(world.describe(await lamp({ level: 2, behaviour: { stuck: true } }))).to.include({
      level: 2,
      stuck: true,
    });
  });

  it('performs an action by its type, or reports why it cannot', async () => {
    const { device } = await lamp();
    expect(message(device.act({ type: 'dim', level: 7 }))).to.equal('done');
    expect(device.model()).to.deep.equal({ level: 7, stuck: false });
    expect(message(device.act({ type: 'dim', level: -1 }))).to.equal(
      'level must be a whole number from 0 to 9, got -1',
    );
    expect(message(device.act({ type: 'blow' }))).to.equal('type must be dim or smash, got "blow"');
    expect(message(device.act({ type: 'toString' }))).to.equal('type must be dim or smash, got "toString"');
    expect(message(device.act({}))).to.equal('type is missing: it must be dim or smash');
    expect(message(device.act([]))).to.equal('the body must be a JSON object, got []');
    expect(message(device.act({ type: 'smash' }))).to.equal('the lamp cannot be smashed');
  });

  it('replaces the whole behaviour', async () => {
    const { device } = await lamp({ behaviour: { stuck: true } });
    expect(message(device.setBehaviour({ stuck: 'no' }))).to.equal('stuck must be true or false, got "no"');
    expect(message(device.setBehaviour({ stuk: false }))).to.equal('stuk is unknown here: it may be stuck');
    expect(device.model()).to.include({ stuck: true });
    expect(message(device.setBehaviour({}))).to.equal('done');
    expect(device.model()).to.include({ stuck: false });
  });

  it('cannot replace the address, kind or place that the world assigned to its device', async () => {
    const { address, kind, device } = await lamp({ rssi: -70 });
    const model = () => ({
      ...{ address: 'nowhere', kind: 'moth', name: 'Moth', rssi: 0, in_range: false, level: 5 },
    });
    expect(world.describe({ address, kind, device: { ...device, model } })).to.deep.equal({
      ...{ address: 'C0:DE:01:00:00:01', kind: 'lamp', name: 'Lamp' },
      ...{ connected: false, advertising: true, rssi: -70, in_range: true, level: 5 },
    });
  });
});
