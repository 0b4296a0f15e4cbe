/** One device of a broker in Home Assistant: its entities, the values that they show, and the messages that they send. */
import { expect } from 'chai';
import type { TestBroker } from '../../features/support/broker.js';
import { topicsOf, type Topics } from '../../src/contract/topics.js';
import { entitiesOf, problemsOf, takesState } from './home-assistant-schema.js';
import { render, variablesOf } from './jinja.js';

export const PREFIX = 'homeassistant';
export const SERVER = 'one';

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
  /** Resolves when the published state has a part. */
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
    stateHas: (part) =>
      broker.until(`the state has ${part}`, () => (view.latest(state).includes(part) ? true : undefined)),
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
