/** Files that are no captures: their content, and what to take out of them. */
import * as E from 'fp-ts/lib/Either.js';
import type { Opening } from './format.js';

export const TAKEN = 'a capture is a btsnoop, PacketLogger (.pklg), pcap or pcapng file';

const FULL_LOG =
  'set the Bluetooth HCI snoop log in the developer options to "Enabled", not filtered, and take btsnoop_hci.log out of the next bug report';

const begins =
  (...beginnings: readonly string[]) =>
  (text: string): boolean =>
    beginnings.some((beginning) => text.startsWith(beginning));

/** Files that people take for captures, by their first bytes as latin1 text. */
const kinds: readonly (readonly [(text: string) => boolean, string])[] = [
  [(text) => text === '', `it is empty: ${TAKEN}`],
  [
    begins('\x1f\x8b'),
    'it is compressed (gzip): unpack it with `tar -xzf FILE` or `gunzip FILE`; the capture in an archive of an iPhone is logs/Bluetooth/bluetoothd-hci-latest.pklg',
  ],
  [begins('\xfd7zXZ', 'BZh', '7z\xbc\xaf', '\x28\xb5\x2f\xfd'), 'it is compressed: unpack it first'],
  [
    (text) => text.includes('BEGIN:BTSNOOP_LOG_SUMMARY'),
    `it is the summary log of Android, which has only the beginnings of packets: ${FULL_LOG}`,
  ],
  [(text) => text.includes('== dumpstate:'), `it is the text of an Android bug report: ${FULL_LOG}`],
  [begins('Bluetooth monitor ver'), 'it is the text of btmon: record a file with `btmon -w FILE`'],
  [(text) => begins('{', '[')(text.trimStart()), `it is JSON: ${TAKEN}`],
];

/** The reason to refuse a file that has no format of a capture. */
export const otherFile = (file: Buffer): string => {
  const text = file.toString('latin1', 0, 4096);
  return kinds.find(([isKind]) => isKind(text))?.[1] ?? `it is not a capture: ${TAKEN}`;
};

const ENTRY = Buffer.from('PK\x03\x04', 'latin1');
/** The head of an entry; the length of its name is at `NAME_LENGTH`. */
const ENTRY_HEAD = 30;
const NAME_LENGTH = 26;
const LONGEST_NAME = 1024;

const CAPTURE = /(?:^|\/)(?:btsnoop_hci\.log[\w.]*|[^/]+\.(?:btsnoop|pklg|pcap|pcapng|cfa))$/i;

const aboutZip = (names: readonly string[]): string => {
  const [first] = names;
  return first === undefined
    ? `it is a zip file without a Bluetooth capture: ${FULL_LOG}`
    : `it is a zip file: take ${names.join(' or ')} out of it`;
};

/** A zip file, such as a bug report of Android: read to its end for the names in it. */
export const zip: Opening = (file) => {
  if (file.indexOf(ENTRY) !== 0) return undefined;
  const names = new Set<string>();
  return {
    next: (bytes) => {
      const at = bytes.indexOf(ENTRY);
      if (at < 0) return E.right({ length: Math.max(1, bytes.length - ENTRY.length + 1) });
      const start = at + ENTRY_HEAD;
      if (bytes.length < start) return E.right(at === 0 ? undefined : { length: at });
      const length = bytes.readUInt16LE(at + NAME_LENGTH);
      if (length > LONGEST_NAME) return E.right({ length: start });
      const end = start + length;
      const name = bytes.toString('utf8', start, end);
      if (bytes.length >= end && CAPTURE.test(name) && names.size < 5) names.add(name);
      return E.right({ length: end });
    },
    end: () => aboutZip([...names]),
  };
};
