/** One device of a broker in Home Assistant: its entities, the values that they show, and the messages that they send. */
import { expect } from 'chai';
import { openBroker, type TestBroker } from '../../features/support/broker.js';
import { topicsOf, type Topics } from '../../src/contract/topics.js';
import { portOf, post } from '../support/client.js';
import { LIMITS, RED } from '../support/dice-fixture.js';
import { FakeRadio } from '../support/fake-radio.js';
import { fleetOn } from '../support/mqtt.js';
import { openDiceServer } from '../support/servers.js';
import { steppedTime } from '../support/stepped-time.js';
import { entitiesOf, problemsOf, takesState } from './home-assistant-schema.js';
import { render, variablesOf } from './jinja.js';

export const PREFIX = 'homeassistant';
export const SERVER = 'one';
export const SIGNAL_MS = 45_000;
const PATIENCE_MS = 5_000;

/** The templates that read the published state. */
const TEMPLATES = ['value_template', 'state_value_template', 'rgb_value_template'];

/** Platforms that show events, not the state. */
const OF_EVENTS: readonly unknown[] = ['event', 'device_automation'];

export interface View {
  readonly topics: Topics;
  /** The topic of the device's description. */
  readonly config: string;
  readonly state: string;
  readonly payloadsAt: (topic: string) => readonly string[];
  readonly latest: (topic: string) => string;
  /** Resolves when the latest message on a topic has a part. */
  readonly has: (topic: string, part: string) => Promise<true>;
  readonly stateHas: (part: string) => Promise<true>;
  /** The answer to a payload at the topic of a command. */
  readonly answered: (topic: string, payload: string) => Promise<unknown>;
  readonly entities: () => ReturnType<typeof entitiesOf>;
  /** An option of an entity, empty if it is not there. */
  readonly option: (entity: string, name: string) => string;
  /** Checks all descriptions of the device. */
  readonly expectValid: () => void;
  /** Renders each template with `unknown` and each state that was published, and checks the results; returns the last ones. */
  readonly shown: (unknown: unknown) => Promise<Readonly<Record<string, string>>>;
}

export const viewOf = (broker: TestBroker, kind: 'dice' | 'clock', address: string): View => {
  const topics = topicsOf('airbench', kind, SERVER);
  const config = `${PREFIX}/device/airbench_${address.replaceAll(':', '').toLowerCase()}/config`;
  const state = topics.state(address);

  const view: View = {
    topics,
    config,
    state,
    payloadsAt: (wanted) =>
      broker.messages.flatMap(({ topic, payload }) => (topic === wanted ? [payload] : [])),
    latest: (topic) => broker.latest.get(topic) ?? '',
    has: (topic, part) =>
      broker.until(`${topic} has ${part}`, () => view.latest(topic).includes(part) || undefined),
    stateHas: (part) => view.has(state, part),
    answered: async (topic, payload) => {
      const before = view.payloadsAt(topics.result).length;
      await broker.publish(topic, payload);
      return JSON.parse(
        await broker.until('it is answered', () => view.payloadsAt(topics.result)[before]),
      ) as unknown;
    },
    entities: () => entitiesOf(view.latest(config)),
    option: (entity, name) => {
      const value = view.entities()[entity]?.[name];
      return typeof value === 'string' ? value : '';
    },
    expectValid: () => {
      for (const payload of view.payloadsAt(config)) {
        if (payload !== '') expect(problemsOf(config, payload)).to.deep.equal([]);
      }
    },
    shown: async (unknown) => {
      const templates = Object.entries(view.entities()).flatMap(([id, entity]) =>
        TEMPLATES.flatMap((name) => {
          const template = entity[name];
          const isOfState = !OF_EVENTS.includes(entity['platform']) && typeof template === 'string';
          return isOfState ? [{ id, entity, name, template }] : [];
        }),
      );
      const states = [
        ...new Set(['', JSON.stringify(unknown), ...view.payloadsAt(state).filter((one) => one !== '')]),
      ];
      const cases = states.flatMap((one) => templates.map((template) => ({ ...template, state: one })));
      const rendered = await render(
        cases.map((one) => ({ template: one.template, variables: variablesOf(one.state) })),
      );
      for (const [index, one] of cases.entries()) {
        const text = rendered[index] ?? 'undefined';
        const takes = takesState(one.entity, one.name, text);
        expect(takes, `${one.id} shows ${text} of ${one.state}`).to.equal(true);
      }
      const last = rendered.slice(-templates.length);
      return Object.fromEntries(
        templates.map(({ id, name }, index) => [
          name === 'rgb_value_template' ? `${id}_colour` : id,
          last[index] ?? '',
        ]),
      );
    },
  };
  return view;
};

/** A broker, and a server on it that has Home Assistant find a device. */
export const openView = async (kind: 'dice' | 'clock', address: string, name = SERVER) => {
  const broker = await openBroker(PATIENCE_MS);
  const { fleet, metrics } = fleetOn(portOf(broker.url), kind, { name, homeAssistant: PREFIX });
  return { broker, view: viewOf(broker, kind, address), fleet, metrics };
};

/** A dice server that Home Assistant finds, with RED connected. */
export const openDice = async (name = SERVER) => {
  const { broker, view, fleet, metrics } = await openView('dice', RED, name);
  const radio = new FakeRadio();
  const time = steppedTime(Date.UTC(2026, 0, 2, 3, 4, 5));
  const server = await openDiceServer({
    ...{ radio, time, metrics, fleet, random: () => 0.5, signalMs: SIGNAL_MS },
    config: { limits: LIMITS },
  });
  const connect = async (address: string): Promise<string> => {
    const { body } = await post(server.port, '/api/connect', { address });
    return (body as { readonly session_id: string }).session_id;
  };
  const die = radio.add(RED);
  const session = await connect(RED);
  await view.stateHas('"connected":true');
  await view.has(view.config, '"cmps"');
  const stop = async (): Promise<void> => {
    await server.close();
    await fleet.close();
  };
  return {
    ...{ broker, view, radio, time, connect, die, session, stop },
    post: (path: string, body: unknown) => post(server.port, path, body),
    close: async (): Promise<void> => {
      await stop();
      await broker.close();
    },
  };
};
export type DiceInHomeAssistant = Awaited<ReturnType<typeof openDice>>;
