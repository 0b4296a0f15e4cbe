import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { startFixture, type DiceFixture } from '../support/dice-fixture.js';
import { keeper } from '../support/keep.js';
import { Consumer, fleetOn, has, startMosquitto, type ReceivedMessage } from '../support/mqtt.js';
import { figuresOf } from '../support/figures.js';

const SERVER = 'airbench/dice/servers/one';
const SESSIONS = `${SERVER}/commands/sessions`;
const RESULT = `${SERVER}/result`;
const MINE = 'mine';

const isResult = ({ topic }: ReceivedMessage): boolean => topic === RESULT || topic === MINE;

describe('A server that gets excessive requests from a broker', () => {
  const keep = keeper();
  let fixture: DiceFixture;
  let client: Consumer;

  beforeEach(async function () {
    const { port } = keep(await startMosquitto(this));
    client = keep(await Consumer.of(port, '#', { protocolVersion: 5 }));
    const { fleet } = keep(fleetOn(port, 'dice'));
    await client.on(SERVER, has({ status: 'online' }));
    fixture = keep(await startFixture({ fleet }));
  });

  const expectCounted = async (result: string, times: number): Promise<void> =>
    void expect(await figuresOf(fixture.server.port)).to.include({
      [`airbench_commands_total{command="sessions",result="${result}"}`]: times,
    });

  it('answers a request with an unusable response topic by an error on the topic of the server', async () => {
    const topics = [
      ...['answers/#', 'answers/+', '$SYS/answers', 'a/'.repeat(64), 'x'.repeat(1025)],
      ...['airbench/clock/servers/one/commands/scan', 'airbench/dice/devices/D1:CE:00:00:00:01/label'],
    ];
    for (const [id, responseTopic] of topics.entries()) {
      await client.say(SESSIONS, { id }, { properties: { responseTopic } });
      const { topic, value } = await client.next(isResult);
      expect({ topic, value }).to.deep.nested.include({ topic: RESULT, 'value.id': id });
      expect(value).to.include({ command: 'sessions', code: 'invalid_input' });
      expect((value as { error: string }).error).to.match(
        /^the response topic must be a topic of 1 to 1024 bytes .*, got "/,
      );
    }
    await expectCounted('invalid_input', topics.length);
    await client.say(SESSIONS, {}, { properties: { responseTopic: MINE } });
    const { topic, value } = await client.next(({ topic }) => topic === SERVER || topic === MINE);
    expect({ topic, value }).to.deep.equal({ topic: MINE, value: { command: 'sessions', result: [] } });
  });

  it('answers correlation data or an id that is too long by an error that does not repeat it', async () => {
    const ask = async (payload: unknown, correlation = 'short'): Promise<ReceivedMessage> => {
      const correlationData = Buffer.from(correlation);
      await client.say(SESSIONS, payload, { properties: { responseTopic: MINE, correlationData } });
      return client.next(isResult);
    };
    const long = 'x'.repeat(1025);
    const uncorrelated = await ask({ id: 1 }, long);
    expect(uncorrelated.packet.properties?.correlationData).to.equal(undefined);
    expect(uncorrelated.value).to.deep.equal({
      id: 1,
      command: 'sessions',
      error: 'the correlation data must have at most 1024 bytes, got 1025',
      code: 'invalid_input',
    });
    const nested = '['.repeat(30_000) + ']'.repeat(30_000);
    for (const [payload, error] of [
      [{ id: long }, 'id must have at most 1024 bytes, got 1027'],
      [`{"id":${nested}}`, /^id must /],
    ] as const) {
      const { packet, value } = await ask(payload);
      expect(packet.properties?.correlationData?.toString()).to.equal('short');
      expect(value).to.have.all.keys('command', 'error', 'code');
      expect((value as { error: string }).error).to.match(new RegExp(error));
    }
    await expectCounted('invalid_input', 3);
  });

  it('repeats only the beginning of an unknown command', async () => {
    await client.say(`${SERVER}/commands/${'x'.repeat(60_000)}`, {});
    const { value } = await client.next(isResult);
    expect(value).to.include({ command: `${'x'.repeat(60)}…`, code: 'invalid_input' });
    expect(JSON.stringify(value)).to.have.length.below(1_000);
  });
});
