/** Checks that each argument of a run selects a scenario. */
import { relative } from 'node:path';
import type { ILoadSourcesResult, ISourcesCoordinates as Sources } from '@cucumber/cucumber/api';
import { packageFile } from '../src/system/package.js';
import { messageOf } from '../src/system/system-error.js';
import type { RunChoices } from './configuration.js';

const LINE = /:(\d+)$/;
const TAG = /@[^\s()]+/g;

/** The lines of a file's scenarios as text. */
const linesOf = ({ plan }: ILoadSourcesResult): string =>
  [...new Set(plan.map(({ location }) => location.line))].sort((a, b) => a - b).join(', ');

/** Relative to the package or to the working folder. */
const shown = (path: string): string => {
  const ofPackage = relative(packageFile(''), path);
  return ofPackage.startsWith('..') ? relative('', path) : ofPackage;
};

/** A message for each path, line, tag and name that selects no scenario. Parse errors are left to the run. */
export const idleArguments = async (
  sources: Sources,
  { paths, tags, names }: Pick<RunChoices, 'paths' | 'tags' | 'names'>,
  load: (sources: Sources) => Promise<ILoadSourcesResult>,
): Promise<readonly string[]> => {
  const all: Sources = { ...sources, names: [], tagExpression: '' };
  const isIdle = async (part: Partial<Sources>): Promise<boolean> => {
    const { plan, errors } = await load({ ...all, ...part });
    return plan.length === 0 && errors.length === 0;
  };
  const messages: string[] = [];
  for (const path of paths) {
    if (!(await isIdle({ paths: [path] }))) continue;
    const file = path.replace(LINE, '');
    const lines = file === path ? '' : linesOf(await load({ ...all, paths: [file] }));
    messages.push(
      lines === ''
        ? `${shown(path)} has no scenario`
        : `${shown(file)} has no scenario at line ${LINE.exec(path)?.[1] ?? ''}: its scenarios are at ${lines}`,
    );
  }
  if (messages.length > 0) return messages;
  const scenario = paths.length === 0 ? 'no scenario' : `no scenario of ${paths.map(shown).join(', ')}`;
  for (const tagExpression of tags) {
    const problem = await load({ ...all, tagExpression }).then(
      () => undefined,
      (error: unknown) => messageOf((error as Error).cause),
    );
    if (problem !== undefined) messages.push(`--tags '${tagExpression}': ${problem}`);
  }
  if (messages.length > 0) return messages;
  for (const tag of new Set(tags.flatMap((expression) => expression.match(TAG) ?? [])))
    if (await isIdle({ tagExpression: tag })) messages.push(`${scenario} has the tag ${tag}`);
  for (const name of names)
    if (await isIdle({ names: [name] })) messages.push(`${scenario} has a name that matches ${name}`);
  if (messages.length > 0) return messages;
  return (await isIdle(sources))
    ? [`${scenario} fits all arguments: the tags are ${sources.tagExpression}`]
    : [];
};
