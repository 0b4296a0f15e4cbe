/** Captures in other formats than btsnoop: their content, and how to convert them to btsnoop. */

const HOST_INSTEAD =
  'record a btsnoop on the host that connects the device (btmon -w, or the HCI snoop log of Android)';

/** Link types whose packets are HCI (tcpdump.org/linktypes.html). */
const HCI: readonly number[] = [187, 201, 254];

/** Link types of sniffers: BLUETOOTH_LE_LL, BLUETOOTH_BREDR_BB, BLUETOOTH_LE_LL_WITH_PHDR, NORDIC_BLE. */
const SNIFFED: readonly number[] = [251, 255, 256, 272];

const aboutLink = (format: string, linkType: number | undefined): string => {
  if (linkType === undefined) return `it is a ${format} file, not btsnoop: ${HOST_INSTEAD}`;
  if (SNIFFED.includes(linkType)) {
    return (
      `it is a ${format} file of a sniffer (datalink ${linkType}), which holds packets of the air, not of HCI, ` +
      `and cannot be converted: ${HOST_INSTEAD}`
    );
  }
  return HCI.includes(linkType)
    ? `it is a ${format} file of HCI packets (datalink ${linkType}), not btsnoop: ` +
        'convert it with `editcap -F btsnoop FILE OUT`'
    : `it is a ${format} file of datalink ${linkType}, not of HCI packets: ${HOST_INSTEAD}`;
};

const PCAP_MAGICS: readonly number[] = [0xa1b2c3d4, 0xa1b23c4d];
const PCAPNG_SECTION = 0x0a0d0d0a;
const PCAPNG_BYTE_ORDER = 0x1a2b3c4d;
const PCAPNG_INTERFACE = 1;

type Order = 'BE' | 'LE';
const u32 = (from: Buffer, at: number, order: Order): number =>
  order === 'BE' ? from.readUInt32BE(at) : from.readUInt32LE(at);

/** The byte order in which the four bytes at `at` are one of `numbers`. */
const orderOf = (from: Buffer, at: number, numbers: readonly number[]): Order | undefined =>
  (['BE', 'LE'] as const).find((order) => from.length >= at + 4 && numbers.includes(u32(from, at, order)));

/** The lower half; the upper half is about checksums. */
const pcapLinkType = (file: Buffer, order: Order): number | undefined =>
  file.length < 24 ? undefined : u32(file, 20, order) & 0xffff;

/** The link type of the first interface, whose description follows the section header. */
const pcapngLinkType = (file: Buffer): number | undefined => {
  const order = orderOf(file, 8, [PCAPNG_BYTE_ORDER]);
  if (order === undefined) return undefined;
  const at = u32(file, 4, order);
  if (file.length < at + 10 || u32(file, at, order) !== PCAPNG_INTERFACE) return undefined;
  return order === 'BE' ? file.readUInt16BE(at + 8) : file.readUInt16LE(at + 8);
};

/** A message about a file in a format of Wireshark's, by its first bytes. Undefined: another format. */
export const foreignFormat = (file: Buffer): string | undefined => {
  const order = orderOf(file, 0, PCAP_MAGICS);
  if (order !== undefined) return aboutLink('pcap', pcapLinkType(file, order));
  return orderOf(file, 0, [PCAPNG_SECTION]) === undefined
    ? undefined
    : aboutLink('pcapng', pcapngLinkType(file));
};
