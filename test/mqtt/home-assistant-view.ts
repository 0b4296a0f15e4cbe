/** One device of a broker in Home Assistant: its entities, the values that they show, and the messages that they send. */
import { expect } from 'chai';
import { openBroker, type TestBroker } from '../../features/support/broker.js';
import { lazily } from '../../src/async/tasks.js';
import { topicsOf } from '../../src/contract/topics.js';
import { portOf, post } from '../support/client.js';
import { LIMITS, RED } from '../support/dice-fixture.js';
import { FakeRadio } from '../support/fake-radio.js';
import type { Keep } from '../support/keep.js';
import { fleetOn } from '../support/mqtt.js';
import { openDiceServer } from '../support/servers.js';
import { steppedTime } from '../support/stepped-time.js';
import { entitiesOf, problemsOf, takesState } from './home-assistant-schema.js';
import { render, variablesOf, type Rendering } from './jinja.js';

export const PREFIX = 'homeassistant';
export const SERVER = 'große_Halle';
export const SIGNAL_MS = 45_000;
const PATIENCE_MS = 60_000;

/** The templates that read the published state. */
const TEMPLATES = ['value_template', 'state_value_template', 'rgb_value_template'];

/** Platforms that show events, not the state. */
const OF_EVENTS: readonly unknown[] = ['event', 'device_automation'];

export class View {
  readonly topics;
  /** The topic of the device's description. */
  readonly config: string;
  readonly state: string;

  constructor(
    readonly broker: TestBroker,
    kind: 'dice' | 'clock',
    address: string,
  ) {
    this.topics = topicsOf('airbench', kind, SERVER);
    this.config = `${PREFIX}/device/airbench_${address.replaceAll(':', '').toLowerCase()}/config`;
    this.state = this.topics.state(address);
  }

  payloadsAt(topic: string): readonly string[] {
    return this.broker.messages.filter((message) => message.topic === topic).map(({ payload }) => payload);
  }

  latest(topic: string): string {
    return this.broker.latest.get(topic) ?? '';
  }

  /** Resolves when the latest message on a topic contains `part`. */
  has(topic: string, part: string): Promise<true> {
    return this.broker.until(`${topic} has ${part}`, () => this.latest(topic).includes(part) || undefined);
  }

  stateHas(part: string): Promise<true> {
    return this.has(this.state, part);
  }

  /** Sends a command that succeeds, and returns its result. */
  async result(topic: string, payload: string): Promise<unknown> {
    const before = this.payloadsAt(this.topics.result).length;
    await this.broker.publish(topic, payload);
    const answer = await this.broker.until('the answer', () => this.payloadsAt(this.topics.result)[before]);
    expect(JSON.parse(answer), payload).to.have.property('result');
    return (JSON.parse(answer) as { readonly result: unknown }).result;
  }

  /** The result of the command that an entity sends with one of its payloads. */
  press(entity: string, payload: string): Promise<unknown> {
    return this.result(this.option(entity, 'command_topic'), this.option(entity, payload));
  }

  /** The topic of an entity with a description of its own. */
  timeConfig(part: string): string {
    return this.config.replace('/device/', '/time/').replace('/config', `_${part}/config`);
  }

  /** The topics with a description of the device or of a part of it. */
  private get configs(): readonly string[] {
    const times = this.timeConfig('').replace('/config', '');
    return [...this.broker.latest.keys()].filter((topic) => topic === this.config || topic.startsWith(times));
  }

  entities(): ReturnType<typeof entitiesOf> {
    const described = this.configs.filter((topic) => this.latest(topic) !== '');
    return Object.assign(
      {},
      ...described.map((topic) => entitiesOf(topic, this.latest(topic))),
    ) as ReturnType<typeof entitiesOf>;
  }

  /** An option of an entity; empty if it is missing. */
  option(entity: string, name: string): string {
    const value = this.entities()[entity]?.[name];
    return typeof value === 'string' ? value : '';
  }

  /** Renders a template of an entity with each of `variables`. */
  rendered(
    entity: string,
    template: string,
    variables: readonly Rendering['variables'][],
  ): Promise<readonly string[]> {
    return render(variables.map((each) => ({ template: this.option(entity, template), variables: each })));
  }

  /** Checks all descriptions of the device and of its parts. */
  expectValid(): void {
    for (const topic of this.configs)
      for (const payload of this.payloadsAt(topic))
        if (payload !== '') expect(problemsOf(topic, payload)).to.deep.equal([]);
  }

  /** Renders each template with `unknownState` and each state that was published, and checks the results; returns the last results. */
  async shown(unknownState: unknown): Promise<Readonly<Record<string, string>>> {
    const templates = Object.entries(this.entities()).flatMap(([id, entity]) =>
      TEMPLATES.flatMap((name) => {
        const template = entity[name];
        const isOfState = !OF_EVENTS.includes(entity['platform']) && typeof template === 'string';
        return isOfState ? [{ id, entity, name, template }] : [];
      }),
    );
    const published = this.payloadsAt(this.state).filter((payload) => payload !== '');
    const states = new Set(['', JSON.stringify(unknownState), ...published]);
    const cases = [...states].flatMap((state) => templates.map((template) => ({ ...template, state })));
    const rendered = await render(
      cases.map(({ template, state }) => ({ template, variables: variablesOf(state) })),
    );
    for (const [index, { id, entity, name, state }] of cases.entries()) {
      const text = rendered[index] ?? 'undefined';
      expect(takesState(entity, name, text), `${id} shows ${text} of ${state}`).to.equal(true);
    }
    const last = rendered.slice(-templates.length);
    return Object.fromEntries(
      templates.map(({ id, name }, index) => [
        name === 'rgb_value_template' ? `${id}_colour` : id,
        last[index] ?? '',
      ]),
    );
  }
}

/** A broker, and a server on it that announces a device to Home Assistant. */
export const openView = async (keep: Keep, kind: 'dice' | 'clock', address: string) => {
  const broker = keep(await openBroker(PATIENCE_MS));
  const { fleet, metrics } = fleetOn(portOf(broker.url), kind, { name: SERVER, homeAssistant: PREFIX });
  return { broker, view: new View(broker, kind, address), fleet, metrics };
};

/** A dice server that Home Assistant finds, with RED connected. */
export const openDice = async (keep: Keep) => {
  const { broker, view, fleet, metrics } = await openView(keep, 'dice', RED);
  const radio = new FakeRadio();
  const time = steppedTime(Date.UTC(2026, 0, 2, 3, 4, 5));
  const server = await openDiceServer({
    ...{ radio, time, metrics, fleet, random: () => 0.5, signalMs: SIGNAL_MS },
    config: { limits: LIMITS },
  });
  const { close } = keep({
    close: lazily(async () => {
      await server.close();
      await fleet.close();
    }),
  });
  const connect = async (address: string): Promise<string> => {
    const { body } = await post(server.port, '/api/connect', { address });
    return (body as { readonly session_id: string }).session_id;
  };
  const die = radio.add(RED);
  const session = await connect(RED);
  await view.stateHas('"connected":true');
  await view.has(view.config, '"cmps"');
  return {
    ...{ broker, view, radio, time, connect, die, session, close },
    post: (path: string, body: unknown) => post(server.port, path, body),
  };
};
