/**
 * The HCI commands of an LE controller: opcode, parameters, return parameters (Core 5.4 Vol 4 Part E 7).
 * A command with `returns` is answered by Command Complete, status first; one without by Command Status.
 */
import { address, bytes, i8, layout, u16, u8, type Fields, type Layout, type Values } from './layout.js';

export interface CommandSpec<P, R> {
  readonly opcode: number;
  readonly parameters: Layout<P>;
  /** Undefined: Command Status now, an event later. */
  readonly returns: Layout<R> | undefined;
  /** More bytes may follow the fixed parameters. */
  readonly hasTail: boolean;
}

const completes = <P extends Fields, R extends Fields>(
  opcode: number,
  parameters: P,
  returns: R,
): CommandSpec<Values<P>, Values<R>> => ({
  opcode,
  parameters: layout(parameters),
  returns: layout(returns),
  hasTail: false,
});

const begins = <P extends Fields>(opcode: number, parameters: P): CommandSpec<Values<P>, never> => ({
  opcode,
  parameters: layout(parameters),
  returns: undefined,
  hasTail: false,
});

/** As `spec`, with a tail of variable length after the fixed parameters, handed over as `tail`. */
const withTail = <P, R>(spec: CommandSpec<P, R>): CommandSpec<P & { readonly tail: Buffer }, R> => ({
  ...spec,
  parameters: {
    size: spec.parameters.size,
    read: (from) => ({
      ...spec.parameters.read(from),
      tail: Buffer.from(from.subarray(spec.parameters.size)),
    }),
    write: (values) => Buffer.concat([spec.parameters.write(values), values.tail]),
  },
  hasTail: true,
});

const connectionParameters = {
  connectionIntervalMin: u16,
  connectionIntervalMax: u16,
  maxLatency: u16,
  supervisionTimeout: u16,
  minCeLength: u16,
  maxCeLength: u16,
} satisfies Fields;

export const commands = {
  disconnect: begins(0x0406, { handle: u16, reason: u8 }),
  setEventMask: completes(0x0c01, { mask: bytes(8) }, {}),
  reset: completes(0x0c03, {}, {}),
  readLeHostSupport: completes(0x0c6c, {}, { leSupported: u8, simultaneous: u8 }),
  writeLeHostSupport: completes(0x0c6d, { leSupported: u8, simultaneous: u8 }, {}),
  readLocalVersion: completes(
    0x1001,
    {},
    { hciVersion: u8, hciRevision: u16, lmpVersion: u8, manufacturer: u16, lmpSubversion: u16 },
  ),
  readLocalSupportedCommands: completes(0x1002, {}, { commands: bytes(64) }),
  readLocalSupportedFeatures: completes(0x1003, {}, { features: bytes(8) }),
  readBufferSize: completes(0x1005, {}, { aclLength: u16, scoLength: u8, aclPackets: u16, scoPackets: u16 }),
  readBdAddr: completes(0x1009, {}, { address }),
  readRssi: completes(0x1405, { handle: u16 }, { handle: u16, rssi: i8 }),
  leSetEventMask: completes(0x2001, { mask: bytes(8) }, {}),
  leReadBufferSize: completes(0x2002, {}, { aclLength: u16, aclPackets: u8 }),
  leReadLocalSupportedFeatures: completes(0x2003, {}, { features: bytes(8) }),
  leSetRandomAddress: completes(0x2005, { address }, {}),
  leSetAdvertisingParameters: completes(
    0x2006,
    {
      intervalMin: u16,
      intervalMax: u16,
      type: u8,
      ownAddressType: u8,
      peerAddressType: u8,
      peerAddress: address,
      channelMap: u8,
      filterPolicy: u8,
    },
    {},
  ),
  leReadAdvertisingTxPower: completes(0x2007, {}, { txPower: i8 }),
  leSetAdvertisingData: completes(0x2008, { length: u8, data: bytes(31) }, {}),
  leSetScanResponseData: completes(0x2009, { length: u8, data: bytes(31) }, {}),
  leSetAdvertisingEnable: completes(0x200a, { enable: u8 }, {}),
  leSetScanParameters: completes(
    0x200b,
    { type: u8, interval: u16, window: u16, ownAddressType: u8, filterPolicy: u8 },
    {},
  ),
  leSetScanEnable: completes(0x200c, { enable: u8, filterDuplicates: u8 }, {}),
  leCreateConnection: begins(0x200d, {
    scanInterval: u16,
    scanWindow: u16,
    filterPolicy: u8,
    peerAddressType: u8,
    peerAddress: address,
    ownAddressType: u8,
    ...connectionParameters,
  }),
  leCreateConnectionCancel: completes(0x200e, {}, {}),
  leConnectionUpdate: begins(0x2013, { handle: u16, ...connectionParameters }),
  leEnableEncryption: begins(0x2019, {
    handle: u16,
    random: bytes(8),
    encryptedDiversifier: u16,
    longTermKey: bytes(16),
  }),
  leLongTermKeyRequestReply: completes(0x201a, { handle: u16, longTermKey: bytes(16) }, { handle: u16 }),
  leLongTermKeyRequestNegativeReply: completes(0x201b, { handle: u16 }, { handle: u16 }),
  leReadSupportedStates: completes(0x201c, {}, { states: bytes(8) }),
  leSetDefaultPhy: completes(0x2031, { allPhys: u8, txPhys: u8, rxPhys: u8 }, {}),
  leSetExtendedScanParameters: withTail(
    completes(0x2041, { ownAddressType: u8, filterPolicy: u8, scanningPhys: u8 }, {}),
  ),
  leSetExtendedScanEnable: completes(
    0x2042,
    { enable: u8, filterDuplicates: u8, duration: u16, period: u16 },
    {},
  ),
  leExtendedCreateConnection: withTail(
    begins(0x2043, {
      filterPolicy: u8,
      ownAddressType: u8,
      peerAddressType: u8,
      peerAddress: address,
      initiatingPhys: u8,
    }),
  ),
} as const;

export type CommandName = keyof typeof commands;

export type CommandParameters<N extends CommandName> =
  (typeof commands)[N]['parameters'] extends Layout<infer P> ? P : never;

export type CommandReturns<N extends CommandName> =
  NonNullable<(typeof commands)[N]['returns']> extends Layout<infer R> ? R : never;

/** The same table, typed so that a name known only as `N` finds its own parameters. */
export const commandSpecs: {
  readonly [N in CommandName]: CommandSpec<CommandParameters<N>, CommandReturns<N>>;
} = commands;

const names = new Map<number, CommandName>(
  (Object.keys(commands) as CommandName[]).map((name) => [commands[name].opcode, name]),
);

export const commandName = (opcode: number): CommandName | undefined => names.get(opcode);

/** The scanning parameters of one PHY in `leSetExtendedScanParameters`' tail. */
export const extendedScanPhy = layout({ type: u8, interval: u16, window: u16 });

/** The connection parameters of one PHY in `leExtendedCreateConnection`'s tail. */
export const extendedConnectionPhy = layout({ scanInterval: u16, scanWindow: u16, ...connectionParameters });

/** Connection intervals in units of 1.25 ms, supervision time-out in units of 10 ms, event lengths in units of 0.625 ms. */
export type ConnectionParameters = Values<typeof connectionParameters>;
