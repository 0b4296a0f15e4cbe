import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { listenTo } from '../support/client.js';
import { ClockClient, KITCHEN } from '../support/clock-fixture.js';
import { newFolder } from '../support/folders.js';
import { Consumer, startAedes, type EmbeddedBroker } from '../support/mqtt.js';
import { endPrograms, Program } from '../support/program.js';

const ROOT = 'airbench/clock';
const CONNECT = { type: 'connect', address: KITCHEN };

const isOffline = (value: unknown): boolean => JSON.stringify(value).includes('"offline"');

describe('Two clock servers on one broker', () => {
  let broker: EmbeddedBroker;
  let consumer: Consumer;

  afterEach(async () => {
    endPrograms();
    await consumer.close();
    await broker.close();
  });

  it('have a clock one at a time: the second is refused it until the first is killed', async () => {
    broker = await startAedes();
    consumer = await Consumer.of(broker.port, `${ROOT}/#`);
    const air = Program.air(['--clocks', '1', '--pace', 'fast']);
    const hci = await air.url('virtual radio');
    // Of one house: the clock is bound to a token that both have.
    const shared = ['--data-dir', newFolder(), '--mqtt', `mqtt://127.0.0.1:${broker.port}`];
    const [first, second] = ['one', 'two'].map((name) =>
      Program.server('clock', hci, [...shared, '--name', name]),
    );
    const clientOf = async (program: Program | undefined): Promise<ClockClient> => {
      const url = new URL((await program?.url('clock server')) ?? '');
      return new ClockClient(await listenTo(Number(url.port), '/ws?detail=full'));
    };
    const [one, two] = [await clientOf(first), await clientOf(second)];

    await one.succeed(CONNECT);
    const error = `device ${KITCHEN} is connected by the server "one"`;
    expect(await two.send(CONNECT)).to.include({ error, code: 'owned_elsewhere' });
    await consumer.say(`${ROOT}/servers/two/commands/connect`, { address: KITCHEN });
    expect(await consumer.on(`${ROOT}/servers/two/result`)).to.deep.equal({
      ...{ command: 'connect', error, code: 'owned_elsewhere' },
    });

    await first?.signal('SIGKILL');
    await consumer.on(`${ROOT}/servers/one`, isOffline);
    // Over MQTT, where the second hears of it before the command.
    await consumer.say(`${ROOT}/servers/two/commands/connect`, { address: KITCHEN });
    await consumer.on(`${ROOT}/devices/${KITCHEN}/owner`, (value) => JSON.stringify(value).includes('"two"'));
    expect(await consumer.on(`${ROOT}/servers/two/result`)).to.have.nested.property(
      'result.address',
      KITCHEN,
    );
    expect(await two.succeed(CONNECT)).to.include({ address: KITCHEN, paired: false });
    await Promise.all([second?.signal('SIGTERM'), air.signal('SIGTERM')]);
  });
});
