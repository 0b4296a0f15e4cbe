import { createECDH, randomBytes, type ECDH } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { Status } from '../../../src/ble/hci/status.js';
import { aes128, reversed } from '../../ble/aes.js';
import { allowed, done, isRefusal, refuse, type Handlers, type Refusal } from '../host/command-handlers.js';
import { onLink } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { eventOf, leEventOf } from '../host/event-packets.js';
import type { LinkEnd } from '../connections/link.js';

const COORDINATE = 32;
/** The form byte of a public key with both coordinates. */
const UNCOMPRESSED = Buffer.from([0x04]);

const encryptionChanged = ({ controller, handle }: LinkEnd, status: number, enabled: number): void =>
  controller.host.send(eventOf('encryptionChange', { status, handle, enabled }));

/** The keys match: the link is encrypted, or has a new key if it was encrypted before. */
const encrypted = (end: LinkEnd, again: boolean): void => {
  const { controller, handle } = end;
  if (!again) encryptionChanged(end, Status.success, 1);
  else controller.host.send(eventOf('encryptionKeyRefreshComplete', { status: Status.success, handle }));
};

/** The peripheral has no key. A link that was encrypted ends (Core 5.4 Vol 6 Part B 5.1.3.2). */
const keyMissing = (peripheral: LinkEnd): void => {
  const { link } = peripheral;
  link.control(peripheral, () => {
    if (link.encrypted) link.end(Status.pinOrKeyMissing);
    else encryptionChanged(link.central, Status.pinOrKeyMissing, 0);
  });
};

/** The key that the central's host uses; a refusal if the central has not requested the peripheral's key. */
const requestedKey = ({ role, link }: LinkEnd): Buffer | Refusal =>
  (role === 'peripheral' ? link.encryption.complete() : undefined) ??
  refuse(Status.commandDisallowed, 'the other side has not requested a long-term key');

/** LE encryption at HCI level: the keys of both hosts are compared, data is not changed. */
export const encryptionCommands = ({ host, links }: ControllerParts) => {
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
    leEncrypt: ({ key, plaintext }) => ({ encrypted: reversed(aes128(reversed(key), reversed(plaintext))) }),
    leRand: () => ({ random: randomBytes(8) }),
    leReadLocalP256PublicKey: () =>
      done(() => {
        keys = undefined;
        const point = keyPair().getPublicKey().subarray(UNCOMPRESSED.length);
        const [x, y] = [reversed(point.subarray(0, COORDINATE)), reversed(point.subarray(COORDINATE))];
        sendLater(leEventOf('readLocalP256PublicKeyComplete', { status: Status.success, x, y }));
      }),
    leGenerateDhKey: ({ x, y }) =>
      done(() => {
        const theirs = Buffer.concat([UNCOMPRESSED, reversed(x), reversed(y)]);
        const secret = E.tryCatch(() => keyPair().computeSecret(theirs), E.toError);
        // Not a point of the curve: invalid parameters, and a key of ones (Core 5.4 Vol 4 Part E 7.7.65.9).
        const outcome = E.isRight(secret)
          ? { status: Status.success, key: reversed(secret.right) }
          : { status: Status.invalidParameters, key: Buffer.alloc(COORDINATE, 0xff) };
        sendLater(leEventOf('generateDhKeyComplete', outcome));
      }),
    leEnableEncryption: onLink(links, (end, { random, encryptedDiversifier, longTermKey }) => {
      const { role, link } = end;
      const { peripheral } = link;
      return (
        allowed(role === 'central', 'only the central starts encryption') ??
        allowed(!link.encryption.pending, 'encryption is being started') ??
        done(() => {
          const fields = { handle: peripheral.handle, random, encryptedDiversifier };
          const request = leEventOf('longTermKeyRequest', fields);
          link.encryption.start(longTermKey);
          link.control(end, () => {
            if (peripheral.controller.host.wants(request)) {
              peripheral.controller.host.send(request);
              return;
            }
            link.encryption.complete();
            keyMissing(peripheral);
          });
        })
      );
    }),
    leLongTermKeyRequestReply: onLink(links, (end, { handle, longTermKey }) => {
      const { link } = end;
      const key = requestedKey(end);
      if (isRefusal(key)) return key;
      link.control(end, () => {
        if (!key.equals(longTermKey)) {
          link.end(Status.micFailure);
          return;
        }
        const again = link.encrypted;
        link.encrypted = true;
        encrypted(link.central, again);
        encrypted(link.peripheral, again);
      });
      return { handle };
    }),
    leLongTermKeyRequestNegativeReply: onLink(links, (end, { handle }) => {
      const key = requestedKey(end);
      if (isRefusal(key)) return key;
      keyMissing(end);
      return { handle };
    }),
  } satisfies Partial<Handlers>;
};
