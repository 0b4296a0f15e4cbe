import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, describe, it } from 'mocha';
import { World, decodeChaos, schedule, type ChaosPlan } from '../../simulators/control/index.js';
import { Air, H4Server, type FaultType } from '../../simulators/radio/index.js';
import { openFixture, closeAll, open } from './control-fixture.js';
import { jsonOf, rows } from '../support/rows.js';
import { manualTime } from '../support/manual-time.js';
import { right } from '../support/either.js';
import { populate } from '../support/world.js';

afterEach(closeAll);

const DICE = ['D1:CE:00:00:00:01', 'D1:CE:00:00:00:02', 'D1:CE:00:00:00:03'];

const body = {
  seed: 7,
  duration_secs: 600,
  faults: [
    { type: 'link_loss', per_minute: 30 },
    { type: 'delay', per_minute: 6, ms: 20, for_ms: 500 },
    { type: 'adapter_down', per_minute: 1, devices: ['hci0'], for_ms: 300 },
  ],
};

const plan = (change: object = {}): ChaosPlan => right(decodeChaos({ ...body, ...change }));

/** The device of each fault of that type. */
const devicesOf = (type: FaultType, of = plan()): readonly string[] =>
  schedule(of, DICE).flatMap(({ fault }) => (fault.type === type ? [fault.device] : []));

describe('The schedule of a plan', () => {
  it('is the same for the same plan, and different for another seed', () => {
    expect(schedule(plan(), DICE)).to.deep.equal(schedule(plan(), DICE));
    expect(schedule(plan({ seed: 8 }), DICE)).to.not.deep.equal(schedule(plan(), DICE));
  });

  it('has about the planned number of each fault, in order, all within its time', () => {
    // A Poisson process: five standard deviations around 300, 60 and 10.
    expect(devicesOf('link_loss')).to.have.length.within(213, 387);
    expect(devicesOf('delay')).to.have.length.within(21, 99);
    expect(devicesOf('adapter_down')).to.have.length.within(1, 26);
    const times = schedule(plan(), DICE).map(({ atMs }) => atMs);
    expect(times).to.deep.equal([...times].sort((a, b) => a - b));
    expect(times.at(-1)).to.be.below(600_000);
  });

  it('picks random devices, of all or of the named ones', () => {
    expect(new Set(devicesOf('link_loss'))).to.deep.equal(new Set(DICE));
    expect(new Set(devicesOf('adapter_down'))).to.deep.equal(new Set(['hci0']));
    expect(new Set(devicesOf('delay', plan({ devices: [DICE[1]] })))).to.deep.equal(new Set([DICE[1]]));
  });

  it('keeps all other faults when one kind of fault changes', () => {
    const [losses, ...others] = body.faults;
    const changed = plan({ faults: [{ ...losses, per_minute: 90 }, ...others] });
    const without = (of: ChaosPlan) => schedule(of, DICE).filter(({ fault }) => fault.type !== 'link_loss');
    expect(without(changed)).to.deep.equal(without(plan()));
  });
});

describe('A plan is refused', () => {
  const refusals = rows(
    2,
    `
    {"faults":[{"type":"rain","per_minute":1}]}                         | faults[0].type must be one of link_loss, drop, silence,
    {"faults":[{"type":"adapter_down","per_minute":1}]}                 | faults[0].devices of adapter_down must be adapters, such as ["hci0"]
    {"devices":[]}                                                      | devices must be all, or an array of at least one address or adapter such as hci0, got []
    {"devices":["${DICE[0]}","a die"]}                                    | devices[1] must be an adapter such as hci0 or six pairs of hex digits with colons
    {"device":"${DICE[0]}"}                                             | device is unknown here: it may be seed, duration_secs, faults, devices
    {"duration_secs":86400,"faults":[{"type":"link_loss","per_minute":6000}]} | the plan must have at most 100000 faults in all
    `,
  );
  const refusalOf = (value: unknown): string => {
    const decoded = decodeChaos(value);
    return E.isLeft(decoded) && 'message' in decoded.left ? decoded.left.message : '';
  };
  for (const [change, message] of refusals) {
    it(`with ${change}`, () => {
      expect(refusalOf({ ...body, ...(jsonOf(change) as object) })).to.contain(message);
    });
  }

  it('if it is not an object, or has no duration', () => {
    expect(refusalOf([])).to.equal('the plan must be a JSON object, got []');
    expect(refusalOf({ seed: 1, faults: [] })).to.contain('duration_secs is missing');
  });
});

/** A world whose time a test advances by hand. */
const stillWorld = async () => {
  const time = manualTime();
  const air = new Air({ time, seed: 1 });
  const world = new World(air, new H4Server(air));
  open.push(() => world.close());
  await populate(
    world,
    DICE.map((address) => ({ kind: 'dice', address })),
  );
  return { time, air, world };
};

describe('Chaos', () => {
  it('starts each fault at its planned time, and ends it', async () => {
    const { time, air, world } = await stillWorld();
    const delays = plan({ faults: [body.faults[1]] });
    const planned = schedule(delays, DICE);
    world.chaos.start(delays);
    for (const { atMs, fault } of planned.slice(0, 5)) {
      time.advance(Math.max(0, atMs - time.now()));
      expect(air.faults.list().map(({ device, type }) => ({ device, type }))).to.deep.include({
        device: fault.device,
        type: 'delay',
      });
    }
    time.advance(700_000);
    expect(air.faults.list()).to.deep.equal([]);
    expect(world.chaos.report).to.deep.equal({
      seed: 7,
      duration_secs: 600,
      elapsed_ms: time.now(),
      running: false,
      faults: { delay: { scheduled: planned.length, injected: planned.length, missed: 0, hits: 0 } },
    });
  });

  it('counts the hits of its faults, and the faults whose device did not exist', async () => {
    const { time, world } = await stillWorld();
    world.chaos.start(
      plan({ faults: [{ type: 'out_of_range', per_minute: 60, devices: [DICE[0], 'D1:CE:00:00:00:77'] }] }),
    );
    time.advance(601_000);
    const { faults } = world.chaos.report as unknown as { faults: Record<string, Record<string, number>> };
    const { scheduled = 0, injected = 0, missed = 0, hits = 0 } = faults['out_of_range'] ?? {};
    expect(injected).to.be.greaterThan(0);
    expect(missed).to.be.greaterThan(0);
    expect([injected + missed, hits]).to.deep.equal([scheduled, injected]);
  });

  it('begins again with each reset if it belongs to the world, and otherwise ends', async () => {
    const { time, air, world } = await stillWorld();
    world.chaos.start(plan(), true);
    const planned = world.chaos.schedule;
    time.advance(10_000);
    right(await world.reset(undefined)());
    expect(world.chaos.report).to.include({ elapsed_ms: 0, running: true });
    expect(world.chaos.schedule).to.deep.equal(planned);
    world.chaos.start(plan({ seed: 9 }));
    right(await world.reset(undefined)());
    expect(world.chaos.report).to.include({ seed: 7 });
    world.chaos.stop();
    time.advance(600_000);
    expect(air.faults.list()).to.deep.equal([]);
  });

  it('is reported with every type of its plan, even a type without a fault', async () => {
    const { call } = await openFixture();
    const rare = { type: 'silence', per_minute: 0 };
    const { json } = await call('POST', '/chaos', { ...body, faults: [rare] });
    expect(json).to.deep.include({
      faults: { silence: { scheduled: 0, injected: 0, missed: 0, hits: 0 } },
    });
  });
});
