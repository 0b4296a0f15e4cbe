/** Templates as Home Assistant renders them: by Jinja, in its sandbox. What is undefined fails. */
import { spawnSync } from 'node:child_process';

export interface Rendering {
  readonly template: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const PROGRAM = `
import json, sys
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
def rendered(one):
    return environment.from_string(one["template"]).render(one["variables"]).strip()
print(json.dumps([rendered(one) for one in json.load(sys.stdin)]))
`;

export const render = (renderings: readonly Rendering[]): readonly string[] => {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', PROGRAM], {
    input: JSON.stringify(renderings),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Jinja cannot render: ${stderr}`);
  return JSON.parse(stdout) as readonly string[];
};

/** The variables of a value template: `value_json` is not there if the payload is no JSON. */
export const variablesOf = (payload: string): Rendering['variables'] => ({
  value: payload,
  ...(payload === '' ? {} : { value_json: JSON.parse(payload) as unknown }),
});
