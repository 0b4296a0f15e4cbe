/** The addresses of all pages of a rig, which each server of the rig receives once all listen. */
import type { Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { KINDS, Pages, perKind, type PageAddress } from '../../contract/index.js';
import { flag, grouped } from './options.js';

/** The message of the rig to the processes of its servers. */
const PagesMessage = t.type({ pages: Pages });

/** The pages of the rig that started this process; null without a rig, and until it has sent them. */
export const pagesOfRig = (): (() => Pages | null) => {
  let pages: Pages | null = null;
  process.on('message', (message) => {
    if (PagesMessage.is(message)) pages = message.pages;
  });
  return () => pages;
};

export type PageFlags = Readonly<Record<`${keyof Pages}Url`, string | undefined>>;

const readUrl = (input: string): E.Either<string, string> =>
  URL.canParse(input) && /^https?:$/.test(new URL(input).protocol)
    ? E.right(input)
    : E.left('it must be a URL such as https://home.example/dice/');

const urlFlag = (name: string, page: string): Option =>
  flag<string | undefined>(
    `--${name} <url>`,
    `URL of the page of ${page} in links, if browsers do not reach it at its port`,
    readUrl,
    undefined,
  );

export const pageOptions = (): readonly Option[] =>
  [
    ...KINDS.map((kind) => urlFlag(`${kind}-url`, `the ${kind} server`)),
    urlFlag('simulator-url', 'the simulator'),
  ].map(grouped('Pages'));

/** The ports that the servers of a rig listen on. */
type Listening = Readonly<Record<keyof Pages, Omit<PageAddress, 'url'>>>;

export const pagesOf = (flags: PageFlags, listening: Listening): Pages => ({
  ...perKind((kind) => ({ ...listening[kind], url: flags[`${kind}Url`] ?? null })),
  simulator: { ...listening.simulator, url: flags.simulatorUrl ?? null },
});
