/** The message IAmADie in both its forms (docs/pixels-protocol.md §3.3). */
import { choice, layout, struct, u16, u32, u8, type Layout } from '../../bytes/index.js';
import type { Colorway, DieType } from './die-type.js';
import {
  batteryState,
  byte,
  colorway,
  dieType,
  percent,
  rollState,
  text,
  unixTime,
  type BatteryState,
  type RollState,
} from './fields.js';

interface AnyIdentity {
  /** 32 bits. */
  readonly pixelId: number;
  readonly dieType: DieType;
  readonly ledCount: number;
  readonly colorway: Colorway | null;
  /** The time of the firmware's build, in whole seconds. */
  readonly builtAt: Date;
  readonly profileHash: number;
  /** Bytes. */
  readonly freeFlash: number;
  readonly rollState: RollState;
  readonly faceIndex: number;
  /** Per cent, 0 to 100. */
  readonly battery: number;
  readonly batteryState: BatteryState;
}

export const RUN_MODES = ['user', 'validation', 'attract'] as const;

/** State and properties of a die. `profile`: the form of the message. */
export type Identity =
  | (AnyIdentity & { readonly profile: 'legacy' })
  | (AnyIdentity & {
      readonly profile: 'current';
      /** All 0x0100 in the known release. */
      readonly firmwareVersion: number;
      readonly versions: {
        readonly settings: number;
        readonly standard: number;
        readonly extended: number;
        readonly management: number;
      };
      /** 1: nRF52810. */
      readonly chip: number;
      readonly runMode: (typeof RUN_MODES)[number];
      /** At most 31 bytes of UTF-8; the same for `name`. */
      readonly designName: string;
      readonly name: string;
      /** Bytes. */
      readonly usableFlash: number;
    });

const legacy = layout({
  ledCount: byte,
  colorway,
  dieType,
  profileHash: u32,
  pixelId: u32,
  freeFlash: u16,
  builtAt: unixTime,
  rollState,
  faceIndex: byte,
  battery: percent,
  batteryState,
});

const NAME_BYTES = 31;

/** The fields of all chunks, one after another. */
const current = layout({
  firmwareVersion: u16,
  builtAt: unixTime,
  versions: struct({ settings: u16, standard: u16, extended: u16, management: u16 }),
  pixelId: u32,
  chip: u8,
  dieType,
  ledCount: byte,
  colorway,
  runMode: choice('the run mode', RUN_MODES),
  designName: text(NAME_BYTES),
  name: text(NAME_BYTES),
  profileHash: u32,
  freeFlash: u32,
  usableFlash: u32,
  battery: percent,
  batteryState,
  rollState,
  faceIndex: byte,
});

/** Bytes of each chunk: version, die, name of the design, name of the die, settings, status. */
const CHUNKS = [14, 9, NAME_BYTES, NAME_BYTES, 12, 4] as const;

const join = (fields: Buffer): Buffer => {
  let at = 0;
  return Buffer.concat(
    CHUNKS.flatMap((size) => [Buffer.from([1 + size]), fields.subarray(at, (at += size))]),
  );
};

/** The fields of all chunks: a shorter chunk is filled with zeros, a longer one cut; undefined if one is missing. */
const split = (bytes: Buffer): Buffer | undefined => {
  const fields = Buffer.alloc(current.size);
  let from = 0;
  let to = 0;
  for (const size of CHUNKS) {
    const length = bytes[from];
    if (length === undefined || length === 0 || from + length > bytes.length) return undefined;
    bytes.copy(fields, to, from + 1, from + Math.min(length, 1 + size));
    from += length;
    to += size;
  }
  return fields;
};

/** Whether the length is that of the legacy form. */
const isLegacy = (bytes: Buffer): boolean => bytes.length === legacy.size;

export const identity: Layout<Identity> = {
  size: CHUNKS.length + current.size,
  sizes: [legacy.size, CHUNKS.length + current.size],
  read: (bytes) =>
    isLegacy(bytes)
      ? { profile: 'legacy', ...legacy.read(bytes) }
      : { profile: 'current', ...current.read(split(bytes) ?? Buffer.alloc(current.size)) },
  write: (value) => (value.profile === 'legacy' ? legacy.write(value) : join(current.write(value))),
  problem: (bytes) => {
    if (isLegacy(bytes)) return legacy.problem(bytes);
    const fields = split(bytes);
    return fields === undefined
      ? `the notification IAmADie must have ${1 + legacy.size} bytes or ${CHUNKS.length} whole chunks, got ${1 + bytes.length} bytes`
      : current.problem(fields);
  },
};
