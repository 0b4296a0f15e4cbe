import { readFileSync } from 'node:fs';

/** Such as `^20.19.0 || >=26.0.0`: the one list of the Nodes that airbench supports. */
const range = (): string => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  return engines.node;
};

/** The major versions that `engines` of package.json names, ascending. */
export const supportedNodes = (engines = range()): readonly number[] =>
  engines.split('||').map((alternative) => Number(/\d+/.exec(alternative)?.[0]));
