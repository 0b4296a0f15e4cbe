/** Messages between a server and the clients of its broker, Home Assistant among them. */
import { isDeepStrictEqual } from 'node:util';
import { Given, Then, When, type DataTable } from '@cucumber/cucumber';
import { expect, fields, listOf, not } from '../expect/expect.js';
import type { Scenario } from '../support/scenario.js';

type Fields = Readonly<Record<string, unknown>>;

const rootOf = ({ kind }: Scenario): string => `airbench/${kind}`;

const serverOf = (scenario: Scenario, name = 'mine'): string => `${rootOf(scenario)}/servers/${name}`;

const addressOf = (scenario: Scenario): string =>
  (scenario.kind === 'clock' ? scenario.clock() : scenario.die()).address;

/** A topic of the device at a server. */
const deviceTopic = (scenario: Scenario, part: string, server?: string): string =>
  `${serverOf(scenario, server)}/devices/${addressOf(scenario)}/${part}`;

/** Commands to the server that has the device. */
const commandsOf = (scenario: Scenario): string =>
  `${rootOf(scenario)}/devices/${addressOf(scenario)}/commands`;

const payloadsAt = (scenario: Scenario, topic: string): readonly string[] =>
  scenario.mqtt.messages.flatMap((message) => (message.topic === topic ? [message.payload] : []));

const read = (payload: string): Fields => JSON.parse(payload) as Fields;

const statuses = (scenario: Scenario): readonly unknown[] =>
  payloadsAt(scenario, serverOf(scenario)).map((payload) => read(payload)['status']);

const publish = async (scenario: Scenario, topic: string, payload: string): Promise<void> => {
  scenario.remembered.set('results', payloadsAt(scenario, `${serverOf(scenario)}/result`).length);
  await scenario.mqtt.publish(topic, scenario.filled(payload));
};

const homeAssistantId = (scenario: Scenario): string =>
  `airbench_${addressOf(scenario).replaceAll(':', '').toLowerCase()}`;

const config = (scenario: Scenario): string => `homeassistant/device/${homeAssistantId(scenario)}/config`;

/** The descriptions of the times of the device; empty: removed. */
const timesOf = (scenario: Scenario): readonly string[] =>
  [...scenario.mqtt.latest].flatMap(([topic, payload]) =>
    topic.startsWith(`homeassistant/time/${homeAssistantId(scenario)}_`) ? [payload] : [],
  );

const waitForConfig = (scenario: Scenario): Promise<string> =>
  scenario.mqtt.until('Home Assistant finds the device', () => {
    const payload = scenario.mqtt.latest.get(config(scenario));
    return payload === '' ? undefined : payload;
  });

const entitiesIn = (payload: string): readonly Fields[] =>
  Object.values(read(payload)['cmps'] as Readonly<Record<string, Fields>>);

/** Publishes the payload for `action` of the first entity with that name or platform. */
const command = async (
  scenario: Scenario,
  [option, value]: readonly ['name' | 'p', string],
  action: string,
): Promise<void> => {
  await waitForConfig(scenario);
  const entity = await scenario.mqtt.until(`there is ${value}`, () =>
    entitiesIn(scenario.mqtt.latest.get(config(scenario)) ?? '').find(
      (candidate) => candidate[option] === value,
    ),
  );
  await publish(scenario, String(entity['command_topic']), String(entity[action]));
};

Then(
  /^the broker has the server (online, offline and online)$/,
  async function (this: Scenario, list: string) {
    const expected = list.split(/, | and /);
    await this.mqtt.until(`it is ${list}`, () => statuses(this)[expected.length - 1]);
    expect(`status in ${serverOf(this)}`, statuses(this), expected);
  },
);

Then(
  'the broker gets RollStart and Stable {int} of the die, one after the other',
  async function (this: Scenario, face: number) {
    const rolls = (): readonly Fields[] =>
      payloadsAt(this, deviceTopic(this, 'events'))
        .map(read)
        .filter(({ kind }) => kind === 'RollStart' || kind === 'Stable');
    await this.mqtt.until('the die has come to rest', () => rolls()[1]);
    const [start, end] = rolls();
    expect('', start, fields({ kind: 'RollStart', address: this.die().address }));
    expect('', end, fields({ kind: 'Stable', face, seq: Number(start?.['seq']) + 1 }));
    expect('events of rolls', rolls(), listOf(2));
  },
);

Then(
  /^the broker retains the state of the (?:die|clock)( at the other server)? with "([^"]+)" (.+)$/,
  async function (this: Scenario, other: string | null, field: string, value: string) {
    const topic = deviceTopic(this, 'state', typeof other === 'string' ? 'other' : 'mine');
    await this.mqtt.until(`${field} is ${value}`, () => {
      const state = this.mqtt.latest.get(topic) ?? '';
      return state !== '' && isDeepStrictEqual(read(state)[field], JSON.parse(value)) ? true : undefined;
    });
    const state = read(await this.mqtt.retained(topic));
    expect(`${topic} ${field}`, state[field], JSON.parse(value));
  },
);

Then('the broker retains that the die is online', async function (this: Scenario) {
  const topic = deviceTopic(this, 'availability');
  await this.mqtt.until('the die is online', () => this.mqtt.latest.get(topic) === 'online' || undefined);
  expect(topic, await this.mqtt.retained(topic), 'online');
});

Then('the broker gets that the die is offline, and retains nothing of it', async function (this: Scenario) {
  const [state, availability] = [deviceTopic(this, 'state'), deviceTopic(this, 'availability')];
  await this.mqtt.until(
    'nothing is retained of the die',
    () => [state, availability].every((topic) => this.mqtt.latest.get(topic) === '') || undefined,
  );
  expect(availability, payloadsAt(this, availability).slice(-2), ['offline', '']);
  await this.mqtt.until(
    'its server has no device',
    () =>
      isDeepStrictEqual(read(this.mqtt.latest.get(`${serverOf(this)}/devices`) ?? '{}')['devices'], []) ||
      undefined,
  );
});

When(
  'I publish the command {string} to the die with {}',
  async function (this: Scenario, name: string, payload: string) {
    await this.mqtt.until('the die is online', () =>
      this.mqtt.latest.get(deviceTopic(this, 'availability')) === 'online' ? true : undefined,
    );
    await publish(this, `${commandsOf(this)}/${name}`, payload);
  },
);

When(
  /^I publish the command "([^"]+)" to the (other )?server with (.+)$/,
  async function (this: Scenario, name: string, other: string | null, payload: string) {
    const server = serverOf(this, typeof other === 'string' ? 'other' : 'mine');
    await publish(this, `${server}/commands/${name}`, payload);
  },
);

Then(
  /^the result on the broker has "([^"]+)" (.+)$/,
  async function (this: Scenario, field: string, value: string) {
    const before = Number(this.remembered.get('results'));
    const result = await this.mqtt.until('it is answered', () =>
      payloadsAt(this, `${serverOf(this)}/result`).at(before),
    );
    expect('', read(result), fields({ [field]: JSON.parse(value) as unknown }));
  },
);

Given(/^Home Assistant has found the (?:die|clock)$/, async function (this: Scenario) {
  await waitForConfig(this);
});

/** The entities that Home Assistant shows. An entity without a name is removed. */
const shownIn = (payload: string): readonly unknown[] =>
  entitiesIn(payload)
    .filter(({ name }) => name !== undefined)
    .map(({ p: platform, name }) => ({ platform, name }));

Then(/^Home Assistant finds the (?:die|clock) with$/, async function (this: Scenario, table: DataTable) {
  await waitForConfig(this);
  const expected = table.hashes();
  await this.mqtt.until('it has all entities', () =>
    shownIn(this.mqtt.latest.get(config(this)) ?? '').length >= expected.length ? true : undefined,
  );
  expect('entities', shownIn(await this.mqtt.retained(config(this))), expected);
});

Then(
  'Home Assistant finds the time {string} by a description of its own',
  async function (this: Scenario, name: string) {
    const described = await this.mqtt.until(`there is ${name}`, () =>
      timesOf(this)
        .flatMap((payload) => (payload === '' ? [] : [read(payload)]))
        .find((time) => time['name'] === name),
    );
    const some = not(undefined);
    expect(name, described, fields({ dev: some, o: some, state_topic: deviceTopic(this, 'state') }));
  },
);

When('Home Assistant is started', async function (this: Scenario) {
  this.remembered.set('configs', payloadsAt(this, config(this)).length);
  await this.mqtt.publish('homeassistant/status', 'online');
});

Then('Home Assistant finds the die again', async function (this: Scenario) {
  const before = Number(this.remembered.get('configs'));
  const again = await this.mqtt.until('it finds the die again', () =>
    payloadsAt(this, config(this)).at(before),
  );
  const some = not(undefined);
  expect(config(this), read(again), fields({ dev: some, o: some, cmps: some }));
});

/** The description of the device for Home Assistant without its name. */
const namelessIn = (payload: string): unknown => {
  const { dev, ...others } = read(payload);
  return { ...others, dev: { ...(dev as Fields), name: undefined } };
};

Then(
  'Home Assistant calls the die {string}, which has its ids and topics as before',
  async function (this: Scenario, label: string) {
    const topic = config(this);
    const isNamed = (payload: string): boolean =>
      (read(payload)['dev'] as Fields | undefined)?.['name'] === label;
    await this.mqtt.until(
      `the die is called ${label}`,
      () => isNamed(this.mqtt.latest.get(topic) ?? '{}') || undefined,
    );
    const [before, after] = payloadsAt(this, topic).slice(-2).map(namelessIn);
    expect(topic, after, before);
  },
);

When(
  /^Home Assistant switches (?:the first light|"(.+)") off$/,
  async function (this: Scenario, name: string | null) {
    await command(this, typeof name === 'string' ? ['name', name] : ['p', 'light'], 'payload_off');
  },
);

When('Home Assistant presses {string}', async function (this: Scenario, name: string) {
  await command(this, ['name', name], 'payload_press');
});

Then(/^Home Assistant removes the (?:die|clock)$/, async function (this: Scenario) {
  const descriptions = (): readonly unknown[] => [this.mqtt.latest.get(config(this)), ...timesOf(this)];
  await this.mqtt.until('it is removed', () =>
    descriptions().every((payload) => payload === '') ? true : undefined,
  );
  expect(config(this), payloadsAt(this, config(this)).at(-1), '');
});
