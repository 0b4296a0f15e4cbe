import { acceptListCommands } from './accept-list-commands.js';
import { advertisingCommands } from './advertising-commands.js';
import type { Handlers } from '../host/command-handlers.js';
import { connectionParameterCommands } from './connection-parameters.js';
import type { ControllerParts } from './controller-parts.js';
import { dataLengthCommands } from './data-length-commands.js';
import { encryptionCommands } from './encryption-commands.js';
import { extendedAdvertisingCommands } from './extended-advertising-commands.js';
import { extendedAdvertisingData } from './extended-advertising-data.js';
import { extendedAdvertisingParameters } from './extended-advertising-parameters.js';
import { informationCommands } from './information-commands.js';
import { initiatingCommands } from './initiating-commands.js';
import { linkCommands } from './link-commands.js';
import { phyCommands } from './phy-commands.js';
import { privacyCommands } from './privacy-commands.js';
import { scanningCommands } from './scanning-commands.js';

/** The handlers of all commands. */
export const commandTable = (parts: ControllerParts): Handlers => ({
  ...informationCommands(parts),
  ...acceptListCommands(parts),
  ...privacyCommands(parts),
  ...scanningCommands(parts),
  ...advertisingCommands(parts),
  ...extendedAdvertisingParameters(parts),
  ...extendedAdvertisingData(parts),
  ...extendedAdvertisingCommands(parts),
  ...initiatingCommands(parts),
  ...connectionParameterCommands(parts),
  ...linkCommands(parts),
  ...dataLengthCommands(parts),
  ...phyCommands(parts),
  ...encryptionCommands(parts),
});
