import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TestBroker } from '../../features/support/broker.js';
import { systemTime } from '../../src/async/time.js';
import { forget, type Forgotten } from '../../src/mqtt/forget.js';
import { connectAsync } from 'mqtt';
import { RED } from '../support/dice-fixture.js';
import { openDice, PREFIX, SERVER, type View } from './home-assistant-view.js';

const LISTEN_MS = 300;
const SERVER_CONFIG = `${PREFIX}/device/airbench_dice_one/config`;

describe('A device or a server that is forgotten', () => {
  let broker: TestBroker;
  let view: View;
  let stop: () => Promise<void>;

  const forgetting = (forgotten: Forgotten) =>
    forget(forgotten, {
      ...{ url: new URL(broker.url), prefix: 'airbench', homeAssistant: PREFIX },
      ...{ time: systemTime, listenMs: LISTEN_MS },
    })();

  /** The topics of devices, servers and Home Assistant with a retained message. */
  const left = (): readonly string[] =>
    [...broker.latest]
      .filter(([topic, payload]) => payload !== '' && !/\/(?:heard|events)$/.test(topic))
      .map(([topic]) => topic);

  /** The payload of a server's last will. */
  const goneOffline = async (): Promise<void> => {
    const client = await connectAsync(broker.url, { protocolVersion: 4 });
    const status = { ...{ status: 'offline', name: SERVER }, ...{ instance: 'last', version: '1' } };
    await client.publishAsync(view.topics.server, JSON.stringify(status), { qos: 1, retain: true });
    await client.endAsync();
  };

  beforeEach(async () => {
    ({ broker, view, stop } = await openDice());
  });

  afterEach(async () => {
    await stop();
    await broker.close();
  });

  it('is removed from the broker and from Home Assistant, and nothing else is', async () => {
    await stop();
    await goneOffline();
    const cleared = await forgetting({ device: RED });
    expect(E.isRight(cleared) ? cleared.right : cleared.left).to.include(view.config);
    const { server: status, serverState, owned } = view.topics;
    expect(left()).to.have.members([SERVER_CONFIG, status, serverState, owned]);
    const server = await forgetting({ server: SERVER });
    expect(E.isRight(server) ? server.right : server.left).to.include(SERVER_CONFIG);
    expect(left()).to.deep.equal([]);
    expect(await forgetting({ device: RED })).to.deep.equal(
      E.left(`nothing is retained of device ${RED} below airbench/`),
    );
  });

  it('names a broker that cannot be used', async () => {
    const url = new URL('mqtt://127.0.0.1:9');
    const options = { url, prefix: 'airbench', homeAssistant: PREFIX, time: systemTime, listenMs: LISTEN_MS };
    const refused = await forget({ device: RED }, options)();
    expect(E.isLeft(refused) && refused.left).to.match(/^the MQTT broker 127\.0\.0\.1:9 cannot be used: /);
  });
});
