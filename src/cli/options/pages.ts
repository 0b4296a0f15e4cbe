/** The pages of a rig: each of its servers is told where all of them are, once all listen. */
import type { Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Pages, type PageAddress } from '../../contract/index.js';
import { flag } from './options.js';

/** What the rig sends to the processes of its servers. */
const PagesMessage = t.type({ pages: Pages });

/** The pages of the rig that started this process; null: there is none, or it has not told yet. */
export const pagesOfRig = (): (() => Pages | null) => {
  let pages: Pages | null = null;
  process.on('message', (message) => {
    if (PagesMessage.is(message)) pages = message.pages;
  });
  return () => pages;
};

export interface PageFlags {
  readonly diceUrl: string | undefined;
  readonly clockUrl: string | undefined;
  readonly simulatorUrl: string | undefined;
}

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
  urlFlag('dice-url', 'the dice server'),
  urlFlag('clock-url', 'the clock server'),
  urlFlag('simulator-url', 'the simulator'),
];

/** What the three of a rig listen on. */
type Listening = Readonly<Record<keyof Pages, Omit<PageAddress, 'url'>>>;

export const pagesOf = (
  { diceUrl, clockUrl, simulatorUrl }: PageFlags,
  { dice, clock, simulator }: Listening,
): Pages => ({
  dice: { ...dice, url: diceUrl ?? null },
  clock: { ...clock, url: clockUrl ?? null },
  simulator: { ...simulator, url: simulatorUrl ?? null },
});
