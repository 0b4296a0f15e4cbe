import type { Control } from '../../simulators/testing/index.js';
import type { Kind } from '../../src/contract/kinds.js';
import type { Hands } from '../actors/actor.js';
import type { ServerLog } from './server-log.js';
import type { ListedClock, ListedDie } from './bench-file.js';
import type { ServerProgram } from './programs.js';

/** The servers under test, the devices, and the actors on them. */
export interface Bench {
  /** The name of the bench, for reports. Undefined: this machine. */
  readonly station: string | undefined;
  /** The operator whom the bench file names. */
  readonly operator: string | undefined;
  /** The server of each kind. Undefined: this bench has no such server. */
  readonly urls: Readonly<Record<Kind, string | undefined>>;
  /** The control API of the devices, if they are virtual. */
  readonly controlUrl: string | undefined;
  /** Proxies that hear devices in scenarios about proxies alone. In other scenarios one proxy hears each device. */
  readonly spareProxies?: readonly string[];
  /** Whether the devices are on a virtual radio, where scenarios put devices in any state and cause any fault. */
  readonly virtualAir: boolean;
  /** Devices that scenarios take instead of new ones. */
  readonly dice: readonly ListedDie[];
  readonly clocks: readonly ListedClock[];
  /** The actors of a scenario, which has its own client of the control API on a bench that has that API. */
  readonly hands: (control: Control | undefined) => Hands;
  /** Sentences about parts of the bench file that this machine lacks, so that no scenario can run. */
  readonly problems: readonly string[];
  /** Sentences about parts without which scenarios skip. */
  readonly lacking: readonly string[];
  /** Whether devices may be reset. */
  readonly destructive: boolean;
  /** Starts a scenario's own server. Undefined: this bench cannot start one. */
  readonly programs: Readonly<Record<Kind, ServerProgram | undefined>>;
  /** How long a step waits for an expected outcome, in milliseconds. Undefined: the default of the profile. */
  readonly patience: number | undefined;
  /** The logs of the servers, if they were started for the features. */
  readonly log?: ServerLog | undefined;
  /** Ends the programs started for the features; servers that were up before stay up. */
  readonly close: () => Promise<void>;
}
