/** Templates as Home Assistant renders them: by Jinja, in its sandbox. An undefined variable fails. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Rendering {
  readonly template: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const PROGRAM = `
import json, sys
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
def rendered(item):
    return environment.from_string(item["template"]).render(item["variables"]).strip()
print(json.dumps([rendered(item) for item in json.load(sys.stdin)]))
`;

/** Renders asynchronously, so that servers and brokers of the same process keep their connections. */
export const render = async (renderings: readonly Rendering[]): Promise<readonly string[]> => {
  const running = promisify(execFile)('python3', ['-c', PROGRAM]);
  running.child.stdin?.end(JSON.stringify(renderings));
  const { stdout } = await running;
  return JSON.parse(stdout) as readonly string[];
};

/** The variables of a value template: `value_json` is missing if the payload is empty. */
export const variablesOf = (payload: string): Rendering['variables'] => ({
  value: payload,
  ...(payload === '' ? {} : { value_json: JSON.parse(payload) as unknown }),
});
