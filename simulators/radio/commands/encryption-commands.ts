import { createCipheriv, createECDH, randomBytes, type ECDH } from 'node:crypto';
import { Status } from '../../../src/ble/hci/status.js';
import { check, refuse, type Handlers, type Refusal } from '../host/command-handlers.js';
import { unknownLink } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { eventOf, leEventOf } from '../host/event-packets.js';
import type { LinkEnd } from '../connections/link.js';

/** HCI sends numbers with the least significant octet first; the algorithms take the most significant first. */
const reversed = (bytes: Buffer): Buffer => Buffer.from(bytes).reverse();

/** AES-128 of one block (Core 5.4 Vol 4 Part E 7.8.22). */
const aes128 = (key: Buffer, plaintext: Buffer): Buffer => {
  const cipher = createCipheriv('aes-128-ecb', reversed(key), null).setAutoPadding(false);
  return reversed(Buffer.concat([cipher.update(reversed(plaintext)), cipher.final()]));
};

const COORDINATE = 32;
/** The form byte of a public key with both coordinates. */
const UNCOMPRESSED = Buffer.from([0x04]);

const encryptionChanged = (end: LinkEnd, status: number, enabled: number): void =>
  end.controller.host.send(eventOf('encryptionChange', { status, handle: end.handle, enabled }));

/** The keys match: the link is encrypted, or has a new key if it was encrypted before. */
const encrypted = (end: LinkEnd, again: boolean): void => {
  if (!again) encryptionChanged(end, Status.success, 1);
  else {
    const fields = { status: Status.success, handle: end.handle };
    end.controller.host.send(eventOf('encryptionKeyRefreshComplete', fields));
  }
};

/** The peripheral has no key. A link that was encrypted ends (Core 5.4 Vol 6 Part B 5.1.3.2). */
const keyMissing = (peripheral: LinkEnd): void => {
  const { link } = peripheral;
  link.control(peripheral, () => {
    if (link.encrypted) link.end(Status.pinOrKeyMissing);
    else encryptionChanged(link.central, Status.pinOrKeyMissing, 0);
  });
};

const noRequest = (): Refusal =>
  refuse(Status.commandDisallowed, 'this side was not asked for a long-term key');

/** LE encryption at HCI level: the keys of both hosts are compared, data is not changed. */
export const encryptionCommands = ({ host, links }: Pick<ControllerParts, 'host' | 'links'>) => {
  let keys: ECDH | undefined;
  const keyPair = (): ECDH => {
    if (keys === undefined) {
      keys = createECDH('prime256v1');
      keys.generateKeys();
    }
    return keys;
  };
  const sendLater = (event: Buffer): void => host.sendLater(() => event);

  return {
    leEncrypt: ({ key, plaintext }) => ({ encrypted: aes128(key, plaintext) }),
    leRand: () => ({ random: randomBytes(8) }),
    leReadLocalP256PublicKey: () => {
      keys = undefined;
      const point = keyPair().getPublicKey().subarray(UNCOMPRESSED.length);
      const [x, y] = [reversed(point.subarray(0, COORDINATE)), reversed(point.subarray(COORDINATE))];
      sendLater(leEventOf('readLocalP256PublicKeyComplete', { status: Status.success, x, y }));
      return Status.success;
    },
    leGenerateDhKey: ({ x, y }) => {
      const theirs = Buffer.concat([UNCOMPRESSED, reversed(x), reversed(y)]);
      try {
        const key = reversed(keyPair().computeSecret(theirs));
        sendLater(leEventOf('generateDhKeyComplete', { status: Status.success, key }));
      } catch {
        // Not a point of the curve (Core 5.4 Vol 4 Part E 7.7.65.9).
        const key = Buffer.alloc(COORDINATE, 0xff);
        sendLater(leEventOf('generateDhKeyComplete', { status: Status.invalidParameters, key }));
      }
      return Status.success;
    },
    leEnableEncryption: ({ handle, random, encryptedDiversifier, longTermKey }) => {
      const end = links.get(handle);
      if (end === undefined) return unknownLink(handle);
      const refusal = check(
        [end.role === 'central', Status.commandDisallowed, () => 'only the central starts encryption'],
        [!end.link.encryption.pending, Status.commandDisallowed, () => 'encryption is being started'],
      );
      if (refusal !== undefined) return refusal;
      const { link } = end;
      const { peripheral } = link;
      const request = leEventOf('longTermKeyRequest', {
        handle: peripheral.handle,
        random,
        encryptedDiversifier,
      });
      link.encryption.start(longTermKey);
      link.control(end, () => {
        if (peripheral.controller.host.wants(request)) {
          peripheral.controller.host.send(request);
          return;
        }
        link.encryption.complete();
        keyMissing(peripheral);
      });
      return Status.success;
    },
    leLongTermKeyRequestReply: ({ handle, longTermKey }) => {
      const end = links.get(handle);
      if (end === undefined) return unknownLink(handle);
      const { link } = end;
      const wanted = end.role === 'peripheral' ? link.encryption.complete() : undefined;
      if (wanted === undefined) return noRequest();
      link.control(end, () => {
        if (!wanted.equals(longTermKey)) {
          link.end(Status.micFailure);
          return;
        }
        const again = link.encrypted;
        link.encrypted = true;
        encrypted(link.central, again);
        encrypted(link.peripheral, again);
      });
      return { handle };
    },
    leLongTermKeyRequestNegativeReply: ({ handle }) => {
      const end = links.get(handle);
      if (end === undefined) return unknownLink(handle);
      const wanted = end.role === 'peripheral' ? end.link.encryption.complete() : undefined;
      if (wanted === undefined) return noRequest();
      keyMissing(end);
      return { handle };
    },
  } satisfies Partial<Handlers>;
};
