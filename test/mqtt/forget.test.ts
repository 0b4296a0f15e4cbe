import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { connectAsync } from 'mqtt';
import { systemTime } from '../../src/async/time.js';
import { MOST_SERVERS } from '../../src/mqtt/bounded.js';
import { forget, type Forgotten } from '../../src/mqtt/forget.js';
import { GREEN, RED } from '../support/dice-fixture.js';
import { keeper } from '../support/keep.js';
import { openDice, PREFIX, SERVER } from './home-assistant-view.js';

const OPTIONS = { prefix: 'airbench', homeAssistant: PREFIX, time: systemTime, listenMs: 300 };
const SERVER_CONFIG = `${PREFIX}/device/airbench_dice_gro_C3_9Fe_5fHalle/config`;

describe('Forgetting a device or a server', () => {
  const keep = keeper();

  it('clears its retained messages, also those for Home Assistant, and no others', async () => {
    const { broker, view, close } = await openDice(keep);
    const label = view.topics.label(RED);
    await view.result(`${view.topics.deviceCommands(RED)}/setDie`, JSON.stringify({ label: 'Red one' }));
    await view.has(label, 'Red one');
    await close();
    const [time, other] = [RED, GREEN].map((address) => {
      const id = address.replaceAll(':', '').toLowerCase();
      return `${PREFIX}/time/airbench_${id}_night_start/config`;
    });
    const client = await connectAsync(broker.url);
    for (const topic of [time, other]) await client.publishAsync(String(topic), '{}', { retain: true });
    await client.endAsync();
    const forgetting = (forgotten: Forgotten) =>
      forget(forgotten, { ...OPTIONS, url: new URL(broker.url) })();
    /** The topics of devices, servers and Home Assistant with a retained message. */
    const retainedTopics = (): readonly string[] =>
      [...broker.latest]
        .filter(
          ([topic, payload]) => payload !== '' && !/\/(?:heard|events|result|setDie|about)$/.test(topic),
        )
        .map(([topic]) => topic);
    const cleared = await forgetting({ device: RED });
    expect(E.isRight(cleared) ? cleared.right : cleared.left).to.include.members([view.config, label, time]);
    const { server: status, serverState, devices } = view.topics;
    expect(retainedTopics()).to.have.members([SERVER_CONFIG, status, serverState, devices, other]);
    const server = await forgetting({ server: SERVER });
    expect(E.isRight(server) ? server.right : server.left).to.include(SERVER_CONFIG);
    expect(retainedTopics()).to.deep.equal([other]);
    expect(await forgetting({ device: RED })).to.deep.equal(
      E.left(`nothing is retained of device ${RED} below airbench/`),
    );
  });

  it('refuses to forget an online server, however many others there are', async () => {
    const { broker } = await openDice(keep);
    const client = await connectAsync(broker.url);
    const name = (index: number): string => `ghost${index}`;
    const statusOf = (server: string): string =>
      JSON.stringify({ status: 'online', name: server, run: '1', version: '0' });
    for (let index = 0; index < MOST_SERVERS; index++)
      await client.publishAsync(`airbench/dice/servers/${name(index)}`, statusOf(name(index)), {
        retain: true,
      });
    await client.endAsync();
    const outcome = await forget({ server: SERVER }, { ...OPTIONS, url: new URL(broker.url) })();
    expect(outcome).to.deep.equal(E.left(`server ${SERVER} is online: stop it first`));
  });

  it('names a broker that cannot be used', async () => {
    const url = new URL('mqtt://127.0.0.1:9');
    const refused = await forget({ device: RED }, { ...OPTIONS, url })();
    expect(E.isLeft(refused) && refused.left).to.match(/^the MQTT broker 127\.0\.0\.1:9 cannot be used: /);
  });
});
