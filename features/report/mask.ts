/**
 * Masks secrets in Cucumber's messages before any formatter writes them: tokens of the run's environment, `Authorization`,
 * parameters and fields `token`, and the tokens of clocks, in packets too.
 */
import { FILE_HEADER, recordsIn } from '../../src/bytes/btsnoop.js';

export const MASK = '[masked]';

/** The variables with the tokens of servers. */
const VARIABLES = ['AIRBENCH_TOKEN', 'AIRBENCH_CONTROL_TOKEN'] as const;

/** The text before a secret, as a group, and the secret. Quotes may be escaped: a transcript may be in JSON. */
const SECRETS: readonly RegExp[] = [
  /(\bauthorization\\*["']?\s*[:=]\s*\[?\\*["']?(?:[a-z]+ +)?)[^\s"'\\,}\]]+/gi,
  /([\w-]*token=["']?)[^\s"'\\&,;}]+/gi,
  /(\b(?:access_)?token\\*["']?: *\\*["'])[^\s"'\\]+/gi,
  // The frame that authenticates with a clock, in hexadecimal digits.
  /(\b11[ :]?0[12][ :]?)[0-9a-f]{2}(?:[ :]?[0-9a-f]{2}){15}\b/gi,
];

/** A clock's token alone, as an assertion may print it. Attachments have other values of this form. */
const CLOCK_TOKEN = /\b[0-9a-f]{32}\b/gi;

const escapedForms = (token: string): readonly string[] => [token, encodeURIComponent(token)];

type TextMask = (text: string) => string;

/** Masks the tokens of the servers, which `env` has. */
const tokenMask = (env: NodeJS.ProcessEnv): TextMask => {
  const tokens = VARIABLES.flatMap((name) => env[name] ?? [])
    .filter((token) => token !== '')
    .flatMap(escapedForms);
  return (text) => tokens.reduce((masked, token) => masked.replaceAll(token, MASK), text);
};

/** Masks texts. `env` has the tokens of the servers. */
export const textMask = (env: NodeJS.ProcessEnv): TextMask => {
  const maskTokens = tokenMask(env);
  return (text) => SECRETS.reduce((masked, secret) => masked.replace(secret, `$1${MASK}`), maskTokens(text));
};

/** The magic number of a capture's file, as text. */
const BTSNOOP = 'btsnoop\0';

/** The kinds of records with ACL data, sent and received (docs/radio.md, "Trace"). */
const ACL_KINDS: readonly number[] = [4, 5];
const ACL_HEADER = 4;
/** The first fragment of an L2CAP packet has another value. */
const CONTINUED = 0b01;
const L2CAP_HEADER = 4;
const ATT_CHANNEL = 4;
const ATT_WRITES: readonly number[] = [0x12, 0x52];
/** Opcode and handle. */
const ATT_HEADER = 3;
/** The length 17, then the opcode of the first or second half of the authentication. */
const FRAME_LENGTH = 0x11;
const AUTHENTICATIONS: readonly number[] = [0x01, 0x02];
const TOKEN_AT = L2CAP_HEADER + ATT_HEADER + 2;
const MASK_BYTE = 0x2a;

/** Whether a packet of L2CAP writes a frame of authentication to a clock. */
const isAuthentication = (packet: Buffer): boolean =>
  packet.length > TOKEN_AT &&
  packet.readUInt16LE(2) === ATT_CHANNEL &&
  ATT_WRITES.includes(packet.readUInt8(L2CAP_HEADER)) &&
  packet.readUInt8(TOKEN_AT - 2) === FRAME_LENGTH &&
  AUTHENTICATIONS.includes(packet.readUInt8(TOKEN_AT - 1));

/** Overwrites a packet from `from` on; its fragments share their memory with the capture. */
const overwrite = (fragments: readonly Buffer[], from: number): void => {
  let at = 0;
  for (const fragment of fragments) {
    fragment.fill(MASK_BYTE, Math.min(fragment.length, Math.max(0, from - at)));
    at += fragment.length;
  }
};

/** Masks the tokens in a capture, in place. */
export const maskCapture = (capture: Buffer): void => {
  const underWay = new Map<string, Buffer[]>();
  for (const { flags, data } of recordsIn(capture.subarray(FILE_HEADER))) {
    if (!ACL_KINDS.includes(flags & 0xffff) || data.length < ACL_HEADER) continue;
    const header = data.readUInt16LE(0);
    const link = `${flags} ${header & 0x0fff}`;
    const isContinued = ((header >> 12) & 0b11) === CONTINUED;
    const fragments = [...(isContinued ? (underWay.get(link) ?? []) : []), data.subarray(ACL_HEADER)];
    underWay.set(link, fragments);
    if (isAuthentication(Buffer.concat(fragments))) overwrite(fragments, TOKEN_AT);
  }
};

const maskedBody = (body: string, maskTokens: TextMask): string => {
  const bytes = Buffer.from(body, 'base64');
  const text = bytes.toString('latin1');
  if (!text.startsWith(BTSNOOP)) return Buffer.from(maskTokens(text), 'latin1').toString('base64');
  maskCapture(bytes);
  return bytes.toString('base64');
};

const replaceTexts = (value: object, mask: TextMask): void => {
  for (const [key, part] of Object.entries(value) as [string, unknown][]) {
    if (typeof part === 'string') Object.assign(value, { [key]: mask(part) });
    else if (typeof part === 'object' && part !== null) replaceTexts(part, mask);
  }
};

interface Message {
  readonly attachment?: { body: string; readonly contentEncoding: string };
  readonly testStepFinished?: object;
  readonly testRunHookFinished?: object;
}

/** Masks a message in place: all formatters receive the same object, after the plugins. */
export const messageMask = (env: NodeJS.ProcessEnv): ((message: Message) => void) => {
  const mask = textMask(env);
  const maskTokens = tokenMask(env);
  return ({ attachment, testStepFinished, testRunHookFinished }) => {
    if (attachment !== undefined) {
      const { body, contentEncoding } = attachment;
      attachment.body = contentEncoding === 'BASE64' ? maskedBody(body, maskTokens) : mask(body);
    }
    for (const result of [testStepFinished, testRunHookFinished]) {
      if (result !== undefined) replaceTexts(result, (text) => mask(text).replace(CLOCK_TOKEN, MASK));
    }
  };
};
