import { acceptListCommands } from './accept-list.js';
import { advertisingCommands } from './advertising-commands.js';
import type { Handlers } from './command-handlers.js';
import { connectionParameterCommands } from './connection-parameters.js';
import type { Controller } from './controller.js';
import { dataLengthCommands } from './data-length.js';
import { encryptionCommands } from './encryption-commands.js';
import { extendedAdvertisingCommands } from './extended-advertising-commands.js';
import { extendedAdvertisingData } from './extended-advertising-data.js';
import { extendedAdvertisingParameters } from './extended-advertising-parameters.js';
import { informationCommands } from './information-commands.js';
import { initiatingCommands } from './initiating-commands.js';
import { linkCommands } from './link-commands.js';
import { phyCommands } from './phy-commands.js';
import { scanningCommands } from './scanning-commands.js';

/** Every command that a controller knows. */
export const commandTable = (controller: Controller): Handlers => ({
  ...informationCommands(controller),
  ...advertisingCommands(controller),
  ...extendedAdvertisingParameters(controller),
  ...extendedAdvertisingData(controller),
  ...extendedAdvertisingCommands(controller),
  ...acceptListCommands(controller),
  ...scanningCommands(controller),
  ...initiatingCommands(controller),
  ...linkCommands(controller),
  ...connectionParameterCommands(controller),
  ...dataLengthCommands(controller),
  ...phyCommands(controller),
  ...encryptionCommands(controller),
});
