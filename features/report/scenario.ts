export interface Scenario {
  /** File, name and steps: a scenario whose steps change is a new one without results. */
  readonly key: string;
  readonly uri: string;
  readonly line: number;
  readonly name: string;
  readonly tags: readonly string[];
}

/** A scenario in a message of Cucumber. */
interface Pickle {
  readonly uri: string;
  readonly name: string;
  readonly tags: readonly { readonly name: string }[];
  readonly steps: readonly { readonly text: string; readonly argument?: unknown }[];
  readonly location?: { readonly line: number } | undefined;
}

export const scenarioOf = ({ uri, name, tags, steps, location }: Pickle): Scenario => ({
  key: JSON.stringify([uri, name, steps.map(({ text, argument }) => [text, argument])]),
  uri,
  line: location?.line ?? 0,
  name,
  tags: tags.map((tag) => tag.name),
});

/** The id of a scenario on the page. */
export const scenarioId = ({ uri, line }: Scenario): string => `${uri}-${line}`.replace(/[^\w-]+/g, '-');
