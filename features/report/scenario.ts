import type { Pickle } from './messages.js';

export interface Scenario {
  /** File, name and steps: a scenario whose steps change is a new one without results. */
  readonly key: string;
  readonly uri: string;
  readonly line: number;
  readonly name: string;
  readonly tags: readonly string[];
}

export const scenarioOf = ({ uri, name, tags, steps, location }: Pickle): Scenario => ({
  key: JSON.stringify([uri, name, steps.map(({ text, argument }) => [text, argument])]),
  uri,
  line: location?.line ?? 0,
  name,
  tags: tags.map((tag) => tag.name),
});
