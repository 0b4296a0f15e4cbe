import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { decodeSpec } from '../../simulators/control/specs.js';
import { right } from '../support/either.js';
import { DIE, openPair, type Pair, type StagedServer } from '../support/fleet-stage.js';
import { keeper } from '../support/keep.js';
import { has, startAedes, type Consumer, type ReceivedMessage } from '../support/mqtt.js';

const ROOT = 'airbench/dice';
const EVENTS = `${ROOT}/devices/${DIE}/events`;

describe('A die between two servers', () => {
  const keep = keeper();
  let consumer: Consumer;
  let pair: Pair;
  let one: StagedServer;
  let two: StagedServer;

  beforeEach(async () => {
    const { port } = keep(await startAedes());
    pair = await openPair(keep, port, { roam: true });
    ({ consumer, one, two } = pair);
  });

  const place = (server: StagedServer, change: { rssi?: number; inRange?: boolean }): void => {
    right(pair.world.setReception(DIE, change, server.adapterId));
  };

  /** Resolves when the server reports this signal of the die. */
  const heardBy = (server: StagedServer, rssi: number): Promise<ReceivedMessage> =>
    consumer.next(
      ({ topic, value }) =>
        topic === `${ROOT}/servers/${server.name}/heard` &&
        JSON.stringify(value).includes(JSON.stringify({ address: DIE, rssi })),
    );

  const event = (kind: string): Promise<unknown> => consumer.on(EVENTS, has({ kind }));

  const act = (action: object): void => {
    right(right(pair.world.find(DIE)).device.act(action));
  };
  const roll = (face: number): void => act({ type: 'roll', face, ending: 'stable', roll_ms: 0 });

  it('is connected by the server that hears it best when a client asks the fleet', async () => {
    place(one, { rssi: -80 });
    place(two, { rssi: -50 });
    await heardBy(two, -50);
    await consumer.say(`${ROOT}/fleet/commands/connect`, { address: DIE, id: 7 });
    expect(await consumer.on(`${ROOT}/fleet/result`)).to.deep.include({ command: 'connect', id: 7 });
    expect(await two.sessions()).to.have.length(1);
    expect(await one.sessions()).to.deep.equal([]);
  });

  it('is handed over when it is carried from one server to the other, with a roll on the way', async () => {
    place(two, { inRange: false });
    expect((await one.connect()).status).to.equal(200);
    const command = async (name: string, settings: object): Promise<unknown> => {
      await consumer.say(`${ROOT}/devices/${DIE}/commands/${name}`, settings);
      const answer = await consumer.on(`${ROOT}/servers/one/result`);
      return (answer as { readonly result: unknown }).result;
    };
    roll(3);
    const three = await event('Stable');
    const { acceleration } = three as { readonly acceleration: unknown };
    await command('led', { led1: 'FF8000' });
    await command('taps', { single: true });
    const { offset } = (await command('calibrate', {})) as { readonly offset: unknown };
    place(two, { inRange: true });
    place(one, { inRange: false });
    await event('Disconnected');
    roll(5);
    const leds = { led1: 'FF8000', led2: '000000' };
    expect(await consumer.on(`${ROOT}/servers/two/commands/take_over`)).to.deep.equal({
      ...{ address: DIE, dice_type: 'd6', offset, leds, taps: { single: true, double: false } },
      motion: { rolling: false, position: { acceleration } },
    });
    await event('Reconnected');
    const five = await event('Stable');
    expect(five).to.include({ face: 5, address: DIE });
    const state = await consumer.on(`${ROOT}/devices/${DIE}/state`);
    expect(state).to.deep.include({ leds });
    act({ type: 'tap' });
    await event('Tap');
    expect(await one.sessions()).to.deep.equal([]);
    expect(await two.sessions()).to.have.length(1);
    expect(pair.links()).to.equal(1);
  });

  it('is handed over with its face if the die knows its type', async () => {
    right(await pair.world.remove(DIE)());
    const pixels = { kind: 'pixels', address: DIE, die: 'd20', face: 3 };
    right(await pair.world.add(right(decodeSpec(pair.world.kinds)(pixels)))());
    place(two, { inRange: false });
    expect((await one.connect()).status).to.equal(200);
    place(two, { inRange: true });
    place(one, { inRange: false });
    await event('Disconnected');
    act({ type: 'turn', face: 17 });
    expect(await consumer.on(`${ROOT}/servers/two/commands/take_over`)).to.deep.equal({
      ...{ address: DIE, dice_type: null, offset: { x: 0, y: 0, z: 0 }, leds: null, taps: null },
      motion: { rolling: false, position: { face: 3 } },
    });
    await event('Reconnected');
    expect(await event('Stable')).to.include({ face: 17 });
    const state = await consumer.on(`${ROOT}/devices/${DIE}/state`, has({ face: 17 }));
    expect(state).to.deep.include({ dice_type: 'd20', maker: 'Pixels', capabilities: ['led1', 'pulse'] });
  });
});
