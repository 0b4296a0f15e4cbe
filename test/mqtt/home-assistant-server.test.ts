/** A server itself, as Home Assistant sees it. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { openBroker, type TestBroker } from '../../features/support/broker.js';
import { systemTime } from '../../src/async/time.js';
import { topicsOf } from '../../src/contract/topics.js';
import type { DiceServer } from '../../src/dice/index.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import { discoveryOf } from '../../src/mqtt/home-assistant.js';
import type { Fleet } from '../../src/mqtt/index.js';
import { openFleet } from '../../src/mqtt/open-fleet.js';
import { version } from '../../src/system/package.js';
import { post } from '../support/client.js';
import { LIMITS, RED } from '../support/dice-fixture.js';
import { FakeRadio } from '../support/fake-radio.js';
import { silent } from '../support/log.js';
import { openDiceServer } from '../support/servers.js';
import { problemsOf } from './home-assistant-schema.js';
import { PREFIX, viewOf, type View } from './home-assistant-view.js';

const PATIENCE_MS = 5_000;
const NAME = 'große_Halle';
const CONFIG = `${PREFIX}/device/airbench_dice_gro_C3_9Fe_5fHalle/config`;
const STATE = `airbench/dice/servers/${NAME}/state`;

describe('Home Assistant finds a server', () => {
  let broker: TestBroker;
  let fleet: Fleet;
  let server: DiceServer;
  let view: View;
  let session = '';

  const told = (payload: string): Promise<true> =>
    broker.until(`the server has ${payload}`, () => (view.latest(STATE) === payload ? true : undefined));

  before(async () => {
    broker = await openBroker(PATIENCE_MS);
    view = viewOf(broker, 'dice', RED);
    const metrics = openMetrics('dice');
    fleet = openFleet(
      { url: new URL(broker.url), prefix: 'airbench', name: NAME, homeAssistant: PREFIX },
      { kind: 'dice', time: systemTime, log: silent, metrics },
    );
    const radio = new FakeRadio();
    radio.add(RED);
    server = await openDiceServer({ radio, metrics, fleet, config: { limits: LIMITS } });
    const { body } = await post(server.port, '/api/connect', { address: RED });
    session = (body as { readonly session_id: string }).session_id;
    await broker.until('the die is found', () => broker.latest.get(view.config));
  });

  after(async () => {
    await server.close();
    await fleet.close();
    await broker.close();
  });

  it('as a device with its connection and the number of its devices, before the devices', async () => {
    const config = view.latest(CONFIG);
    expect(problemsOf(CONFIG, config)).to.deep.equal([]);
    expect(JSON.parse(config)).to.have.property('dev').that.includes({ sw_version: version });
    expect(await broker.retained(CONFIG)).to.equal(config);
    const topics = broker.messages.map(({ topic }) => topic);
    expect(topics.indexOf(CONFIG)).to.be.within(0, topics.indexOf(view.config) - 1);
    await told('{"connected":1}');
    await post(server.port, '/api/disconnect', { session_id: session });
    await told('{"connected":0}');
  });

  it('as the device through which its dice are reached', () => {
    const [device, self] = [view.payloadsAt(view.config)[0] ?? '', view.latest(CONFIG)].map(
      (payload) => (JSON.parse(payload) as { readonly dev: Readonly<Record<string, unknown>> }).dev,
    );
    expect(self?.['identifiers']).to.deep.equal([device?.['via_device']]);
    expect(device?.['serial_number']).to.equal(RED);
  });

  it('again when Home Assistant was started', async () => {
    const before = view.payloadsAt(CONFIG).length;
    await broker.publish(`${PREFIX}/status`, 'online');
    await broker.until('it is told again', () => view.payloadsAt(CONFIG)[before]);
  });

  it('with the address of its page, if other machines can open it', () => {
    const page = 'http://192.0.2.7:3000/';
    const topics = topicsOf('airbench', 'dice', NAME);
    const { server: told } = discoveryOf(PREFIX, { kind: 'dice', name: NAME, topics, page: () => page });
    expect(problemsOf(told.topic, told.payload())).to.deep.equal([]);
    expect(JSON.parse(told.payload())).to.have.nested.property('dev.configuration_url', page);
    expect(JSON.parse(told.payload())).to.have.nested.property('o.support_url', `${page}docs`);
    expect(JSON.parse(view.latest(CONFIG))).to.not.have.nested.property('dev.configuration_url');
  });
});
