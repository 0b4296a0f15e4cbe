/** A server itself, as Home Assistant sees it. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { topicsOf } from '../../src/contract/topics.js';
import { discoveryOf } from '../../src/mqtt/home-assistant.js';
import { version } from '../../src/system/package.js';
import { RED } from '../support/dice-fixture.js';
import { problemsOf } from './home-assistant-schema.js';
import { openDice, PREFIX, type DiceInHomeAssistant } from './home-assistant-view.js';

const NAME = 'große_Halle';
const CONFIG = `${PREFIX}/device/airbench_dice_gro_C3_9Fe_5fHalle/config`;
const STATE = `airbench/dice/servers/${NAME}/state`;

describe('Home Assistant finds a server', () => {
  let dice: DiceInHomeAssistant;

  before(async () => {
    dice = await openDice(NAME);
  });

  after(() => dice.close());

  it('as a device with its connection and the number of its devices, before the devices', async () => {
    const { broker, view } = dice;
    const config = view.latest(CONFIG);
    expect(problemsOf(CONFIG, config)).to.deep.equal([]);
    expect(JSON.parse(config)).to.have.property('dev').that.includes({ sw_version: version });
    expect(await broker.retained(CONFIG)).to.equal(config);
    const topics = broker.messages.map(({ topic }) => topic);
    expect(topics.indexOf(CONFIG)).to.be.within(0, topics.indexOf(view.config) - 1);
    await view.has(STATE, '{"connected":1}');
    await dice.post('/api/disconnect', { session_id: dice.session });
    await view.has(STATE, '{"connected":0}');
  });

  it('as the device through which its dice are reached', () => {
    const { view } = dice;
    const [device, self] = [view.payloadsAt(view.config)[0] ?? '', view.latest(CONFIG)].map(
      (payload) => (JSON.parse(payload) as { readonly dev: Readonly<Record<string, unknown>> }).dev,
    );
    expect(self?.['identifiers']).to.deep.equal([device?.['via_device']]);
    expect(device?.['serial_number']).to.equal(RED);
  });

  it('again when Home Assistant was started, and only then', async () => {
    const { broker, view } = dice;
    const before = view.payloadsAt(CONFIG).length;
    for (const status of ['offline', 'online']) await broker.publish(`${PREFIX}/status`, status);
    await broker.until('it is found again', () => view.payloadsAt(CONFIG)[before]);
    expect(view.payloadsAt(CONFIG)).to.have.length(before + 1);
  });

  it('with the address of its page, if other machines can open it', () => {
    const page = 'http://192.0.2.7:3000/';
    const topics = topicsOf('airbench', 'dice', NAME);
    const { server } = discoveryOf(PREFIX, { kind: 'dice', name: NAME, topics, page: () => page });
    expect(problemsOf(server.topic, server.payload())).to.deep.equal([]);
    expect(JSON.parse(server.payload())).to.have.nested.property('dev.configuration_url', page);
    expect(JSON.parse(server.payload())).to.have.nested.property('o.support_url', `${page}docs`);
    expect(JSON.parse(dice.view.latest(CONFIG))).to.not.have.nested.property('dev.configuration_url');
  });
});
