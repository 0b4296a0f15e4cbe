import { acceptListCommands } from './accept-list-commands.js';
import type { AcceptList } from './accept-list.js';
import type { AdvertisingChannels } from './advertising-channels.js';
import { advertisingCommands } from './advertising-commands.js';
import type { AdvertisingSets } from './advertising-sets.js';
import type { Handlers } from './command-handlers.js';
import { connectionParameterCommands } from './connection-parameters.js';
import { dataLengthCommands } from './data-length-commands.js';
import { encryptionCommands } from './encryption-commands.js';
import { extendedAdvertisingCommands } from './extended-advertising-commands.js';
import { extendedAdvertisingData } from './extended-advertising-data.js';
import { extendedAdvertisingParameters } from './extended-advertising-parameters.js';
import type { HostQueue } from './host-queue.js';
import type { HostSettings } from './host-settings.js';
import { informationCommands } from './information-commands.js';
import { initiatingCommands } from './initiating-commands.js';
import type { Initiator } from './initiator.js';
import { linkCommands } from './link-commands.js';
import type { Links } from './links.js';
import type { Medium } from './medium.js';
import type { OwnAddress } from './own-address.js';
import { phyCommands } from './phy-commands.js';
import { scanningCommands } from './scanning-commands.js';
import type { Scanner } from './scanner.js';

/** The parts of a controller. The handlers of a file get those that they need. */
interface ControllerParts {
  readonly address: string;
  readonly medium: Medium;
  readonly channels: AdvertisingChannels;
  readonly settings: HostSettings;
  readonly host: HostQueue;
  readonly ownAddress: OwnAddress;
  readonly acceptList: AcceptList;
  readonly advertising: AdvertisingSets;
  readonly scanner: Scanner;
  readonly initiator: Initiator;
  readonly links: Links;
  readonly reset: () => void;
}

/** The handlers of all commands. */
export const commandTable = (parts: ControllerParts): Handlers => ({
  ...informationCommands(parts),
  ...advertisingCommands(parts),
  ...extendedAdvertisingParameters(parts),
  ...extendedAdvertisingData(parts),
  ...extendedAdvertisingCommands(parts),
  ...acceptListCommands(parts),
  ...scanningCommands(parts),
  ...initiatingCommands(parts),
  ...linkCommands(parts),
  ...connectionParameterCommands(parts),
  ...dataLengthCommands(parts),
  ...phyCommands(parts),
  ...encryptionCommands(parts),
});
