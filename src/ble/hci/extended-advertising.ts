/**
 * Legacy advertising on a controller that is spoken to by extended commands: legacy PDUs of one advertising set.
 * The host above says and hears legacy commands and events alone (Core 5.4 Vol 4 Part E 3.1.1, 7.8.53 to 7.8.56).
 */
import { commandName, commandSpecs, type CommandName } from './commands.js';
import { enabledSet, legacyProperties } from './extended-commands.js';
import {
  EventCode,
  LeSubevent,
  PacketType,
  encodeCommand,
  encodeCommandComplete,
  events,
  leEventOf,
} from './packets.js';

/**
 * The set's number, the last there may be (Core 5.4 Vol 4 Part E 7.8.53). The kernel's own begin at 0, and it writes
 * data of its own to those that it knows (`hci_cc_set_ext_adv_param` in `net/bluetooth/hci_event.c` of Linux).
 */
export const ADVERTISING_SET = 0xef;

/** Core 5.4 Vol 4 Part E 7.8.53: no preference for a power, the LE 1M PHY, which legacy PDUs need. */
const ANY_POWER = 127;
const LE_1M = 1;
/** Core 5.4 Vol 4 Part E 7.8.54: all of the data, which the controller may not cut in pieces. */
const WHOLE = { operation: 3, fragmentPreference: 1 };

const translations: ReadonlyMap<number, (body: Buffer) => Buffer> = new Map([
  [
    commandSpecs.leSetAdvertisingParameters.opcode,
    (body) => {
      const { type, ...others } = commandSpecs.leSetAdvertisingParameters.parameters.read(body);
      return encodeCommand('leSetExtendedAdvertisingParameters', {
        ...others,
        set: ADVERTISING_SET,
        properties: legacyProperties[type] ?? 0,
        txPower: ANY_POWER,
        primaryPhy: LE_1M,
        secondaryMaxSkip: 0,
        secondaryPhy: LE_1M,
        sid: 0,
        scanRequestNotification: 0,
      });
    },
  ],
  [
    commandSpecs.leSetAdvertisingData.opcode,
    (body) => {
      const { length, data } = commandSpecs.leSetAdvertisingData.parameters.read(body);
      const tail = data.subarray(0, length);
      return encodeCommand('leSetExtendedAdvertisingData', { set: ADVERTISING_SET, ...WHOLE, length, tail });
    },
  ],
  [
    commandSpecs.leSetScanResponseData.opcode,
    (body) => {
      const { length, data } = commandSpecs.leSetScanResponseData.parameters.read(body);
      const tail = data.subarray(0, length);
      return encodeCommand('leSetExtendedScanResponseData', { set: ADVERTISING_SET, ...WHOLE, length, tail });
    },
  ],
  [
    commandSpecs.leSetAdvertisingEnable.opcode,
    (body) => {
      const { enable } = commandSpecs.leSetAdvertisingEnable.parameters.read(body);
      const tail = enabledSet.write({ set: ADVERTISING_SET, duration: 0, maxEvents: 0 });
      return encodeCommand('leSetExtendedAdvertisingEnable', { enable, sets: 1, tail });
    },
  ],
]);

const answered: Partial<Record<CommandName, CommandName>> = {
  leSetExtendedAdvertisingParameters: 'leSetAdvertisingParameters',
  leSetExtendedAdvertisingData: 'leSetAdvertisingData',
  leSetExtendedScanResponseData: 'leSetScanResponseData',
  leSetExtendedAdvertisingEnable: 'leSetAdvertisingEnable',
};

/** A legacy advertising command as the extended one; any other packet as it is. */
export const asExtended = (packet: Buffer): Buffer => {
  if (packet[0] !== PacketType.command) return packet;
  return translations.get(packet.readUInt16LE(1))?.(packet.subarray(4)) ?? packet;
};

/** Command Complete of an extended advertising command as that of the legacy one; any other packet as it is. */
export const asLegacy = (packet: Buffer): Buffer => {
  if (packet[0] !== PacketType.event || packet[1] !== EventCode.commandComplete) return packet;
  const name = commandName(packet.readUInt16LE(4));
  const legacy = name && answered[name];
  return legacy === undefined
    ? packet
    : encodeCommandComplete(commandSpecs[legacy].opcode, packet.subarray(6, 7));
};

/**
 * LE Enhanced Connection Complete, which a controller sends to hosts that want it instead of LE Connection Complete, as
 * the latter (Core 5.4 Vol 4 Part E 7.7.65.10); any other packet as it is.
 */
export const asPlainConnection = (packet: Buffer): Buffer =>
  packet[0] === PacketType.event &&
  packet[1] === EventCode.leMeta &&
  packet[3] === LeSubevent.enhancedConnectionComplete
    ? leEventOf('connectionComplete', events.enhancedConnectionComplete.read(packet.subarray(4)))
    : packet;
