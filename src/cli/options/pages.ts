/** The pages of a rig: each of its servers gets the addresses of all, once all listen. */
import type { Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { KINDS, Pages, perKind, type PageAddress } from '../../contract/index.js';
import { flag } from './options.js';

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

const readUrl = (given: string): E.Either<string, string> =>
  URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)
    ? E.right(given)
    : E.left('it must be a URL such as https://home.example/dice/');

const urlFlag = (name: string, page: string): Option =>
  flag<string | undefined>(
    `--${name} <url>`,
    `where browsers reach the page of ${page}, if not at its port: links lead there`,
    readUrl,
    undefined,
  );

export const pageOptions = (): readonly Option[] => [
  ...KINDS.map((kind) => urlFlag(`${kind}-url`, `the ${kind} server`)),
  urlFlag('simulator-url', 'the simulator'),
];

/** The ports that the servers of a rig listen on. */
type Listening = Readonly<Record<keyof Pages, Omit<PageAddress, 'url'>>>;

export const pagesOf = (flags: PageFlags, listening: Listening): Pages => ({
  ...perKind((kind) => ({ ...listening[kind], url: flags[`${kind}Url`] ?? null })),
  simulator: { ...listening.simulator, url: flags.simulatorUrl ?? null },
});
