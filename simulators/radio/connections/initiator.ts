import type { CommandSet } from '../host/host-settings.js';
import type { LinkParameters } from './link.js';
import type { DeviceAddress } from '../medium/pdu.js';

/** A connection that the host requested and that is not established yet. */
export interface ConnectionAttempt {
  /** Undefined: the first device received of those on the filter accept list. */
  readonly peer: DeviceAddress | undefined;
  readonly ownAddressType: number;
  readonly commandSet: CommandSet;
  /** Bits of the primary PHYs to listen on. */
  readonly phys: number;
  /** The parameters of a link on a PHY (1M, 2M, Coded). */
  readonly parametersOn: (phy: number) => LinkParameters;
}

/** The initiating state of one controller (Core 5.4 Vol 6 Part B 4.4.4). */
export class Initiator {
  attempt: ConnectionAttempt | undefined;
}
