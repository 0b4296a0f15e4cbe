import { readFileSync } from 'node:fs';

/** The only list of supported Nodes, such as `^20.19.0 || >=26.0.0`. */
const range = (): string => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  return engines.node;
};

/** The major versions in `engines` of package.json, ascending. */
export const supportedNodes = (engines = range()): readonly number[] =>
  engines.split('||').map((alternative) => Number(/\d+/.exec(alternative)?.[0]));
