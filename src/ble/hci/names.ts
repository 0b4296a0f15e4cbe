import { commandName } from './commands.js';
import { ACL_HEADER, aclHandle, EventCode, LeSubevent, PacketType } from './packets.js';

/** Names of codes: `write not permitted` for the key `writeNotPermitted`; `others` replaces the names of some keys. */
export const namesOf = (
  codes: Readonly<Record<string, number>>,
  others: Readonly<Record<string, string>>,
): ReadonlyMap<number, string> =>
  new Map(
    Object.entries(codes).map(([key, code]) => [
      code,
      others[key] ?? key.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`),
    ]),
  );

const eventNames = namesOf(EventCode, {});
const leEventNames = namesOf(LeSubevent, {});

const numbered = (name: string | undefined, kind: string, code: number): string =>
  name === undefined ? `${kind} ${code}` : `${kind} ${name}`;

/** `command leSetScanEnable`, `LE event advertising report`, `data of link 64`; a code without a name stays a number. */
export const packetName = (packet: Buffer): string => {
  const [type = 0, code = 0, , subevent = 0] = packet;
  if (type === PacketType.command && packet.length > 2) {
    const opcode = packet.readUInt16LE(1);
    return numbered(commandName(opcode), 'command', opcode);
  }
  if (type === PacketType.event)
    return code === EventCode.leMeta
      ? numbered(leEventNames.get(subevent), 'LE event', subevent)
      : numbered(eventNames.get(code), 'event', code);
  if (type === PacketType.acl && packet.length >= ACL_HEADER) return `data of link ${aclHandle(packet)}`;
  return `packet of type ${type}`;
};
