import type { Control } from '../../simulators/testing/index.js';
import type { Kind } from '../../src/contract/kinds.js';
import type { Hands } from '../actors/actor.js';
import type { ServerLog } from './server-log.js';
import type { ListedClock, ListedDie } from './bench-file.js';
import type { ServerProgram } from './programs.js';

/** Where the scenarios run: servers under test, devices, and who acts on them. */
export interface Bench {
  /** The name of the bench and its operator, for reports; undefined: it is this machine. */
  readonly station: string | undefined;
  /** Where the server of each kind is; undefined: this bench has none. */
  readonly urls: Readonly<Record<Kind, string | undefined>>;
  /** The control API of the devices, if they are virtual. */
  readonly controlUrl: string | undefined;
  /** Addresses of proxies that are deaf outside scenarios of proxies, so that one proxy alone hears each device. */
  readonly spareProxies?: readonly string[];
  /** The devices are on a virtual radio: any device can be put there, in any state, and anything can happen on the air. */
  readonly virtualAir: boolean;
  /** Devices that scenarios take instead of new ones. */
  readonly dice: readonly ListedDie[];
  readonly clocks: readonly ListedClock[];
  /** The actors of a scenario, whose own client of the control API is given if there is one. */
  readonly hands: (control: Control | undefined) => Hands;
  /** Whether devices may be reset. */
  readonly destructive: boolean;
  /** How scenarios start a server of their own, where that can be. */
  readonly programs: Readonly<Record<Kind, ServerProgram | undefined>>;
  /** How long what should come may take, milliseconds; undefined: as long as the profile says. */
  readonly patience: number | undefined;
  /** The logs of the servers, if they were started for the features. */
  readonly log?: ServerLog | undefined;
  /** Ends the programs started for the features; servers that were up before stay up. */
  readonly close: () => Promise<void>;
}
