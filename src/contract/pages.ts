import type * as t from 'io-ts';
import { about, anyInteger, named, nullable, object, text } from '../codecs/index.js';
import { perKind } from './kinds.js';

const PageAddress = object({
  url: about(
    'As browsers reach it, where that is not by the port, as behind a proxy; else null',
    nullable(text),
  ),
  address: about('The address that the server listens on', text),
  port: about('The port that it listens on', anyInteger),
});
export type PageAddress = t.TypeOf<typeof PageAddress>;

/** The pages of a rig, whose devices are all simulated. */
export const Pages = named(
  'Pages',
  'Where the pages of a rig are, whose devices are simulated',
  object({ ...perKind(() => PageAddress), simulator: PageAddress }),
);
export type Pages = t.TypeOf<typeof Pages>;
