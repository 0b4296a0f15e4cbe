import { reversed } from '../ble/aes.js';
import { SmpCode } from '../ble/smp.js';
import type { Bond } from './bonds.js';
import type { DeviceAddress } from '../../src/ble/hci/packets.js';
import type { Attempt, Exchange } from './exchange.js';
import { ownKeyCommands, PeerKeys } from './key-distribution.js';
import { LegacyExchange } from './legacy.js';
import {
  Auth,
  Key,
  PairingFailure,
  ioCapabilities,
  methodOf,
  readFeatures,
  writeFeatures,
  type PairingFeatures,
} from './messages.js';
import { SecureExchange } from './secure.js';
import { responseTo, type PairingSettings } from './settings.js';

/** The text or question for a person now. */
export type Prompt =
  | { readonly asks: 'nothing'; readonly passkey: number }
  | { readonly asks: 'passkey' }
  | { readonly asks: 'confirmation'; readonly number: number };

export interface PairingContext {
  readonly settings: PairingSettings;
  readonly host: DeviceAddress;
  /** The device's address on this link, and its permanent one. */
  readonly local: DeviceAddress;
  readonly identity: DeviceAddress;
  readonly keys: { readonly identity: Buffer; readonly signing: Buffer };
  readonly random: (octets: number) => Buffer;
  /** Sends a command whose value has its least significant octet first, as on the air. */
  readonly send: (pdu: Buffer) => void;
  readonly prompt: (prompt: Prompt | undefined) => void;
  readonly failed: (reason: number) => void;
  /** Reports a new bond; `lasting`: both sides keep it. */
  readonly paired: (bond: Bond, lasting: boolean) => void;
}

/** The OOB data flag: the host has data of the device from another channel (Core 5.4 Vol 3 Part H 3.5.1). */
const OOB_PRESENT = 1;

/** A key with only `size` octets, whose more significant octets are 0 (Core 5.4 Vol 3 Part H 2.3.4). */
const shortened = (key: Buffer, size: number): Buffer =>
  Buffer.concat([Buffer.alloc(key.length - size), key.subarray(key.length - size)]);

/** An attempt of a host to pair, from its request until both sides have all keys. */
export class Pairing {
  private exchange: Exchange | undefined;
  /** The key of the link's encryption, once both sides have it. */
  private key: Buffer | undefined;
  private peerKeys: PeerKeys | undefined;
  private readonly features: PairingFeatures;
  private readonly request: PairingFeatures;
  private readonly longTerm: { key: Buffer; diversifier: number; random: Buffer };
  private answerPrompt: ((answer: number | boolean) => void) | undefined;
  private over = false;

  constructor(
    private readonly context: PairingContext,
    pdu: Buffer,
  ) {
    const { random, settings } = context;
    this.request = readFeatures(pdu);
    this.features = responseTo(settings, this.request);
    this.longTerm = {
      key: shortened(random(16), Math.min(this.keySize, 16)),
      diversifier: random(2).readUInt16BE(0),
      random: random(8),
    };
    this.begin(pdu);
  }

  get authenticated(): boolean {
    return this.method !== 'just works';
  }

  get keySize(): number {
    return Math.min(this.request.keySize, this.features.keySize);
  }

  /** The key with which the central encrypts the link now; undefined before it exists. */
  get encryptionKey(): Buffer | undefined {
    return this.key;
  }

  receive(code: number, pdu: Buffer): void {
    if (this.over) return;
    const value = reversed(pdu.subarray(1));
    const isAccepted = this.peerKeys?.receive(code, value) ?? this.exchange?.receive(code, value) ?? false;
    if (!isAccepted) this.fail(PairingFailure.unspecifiedReason);
    else this.finish();
  }

  /** The link has been encrypted with the key of this attempt. */
  encrypted(): void {
    const { context, features, longTerm, secure } = this;
    if (this.over || this.key === undefined || this.peerKeys !== undefined) return;
    const { keys, identity } = context;
    const commands = ownKeyCommands(features.responderKeys, {
      ...{ longTerm: secure ? undefined : longTerm, address: identity },
      ...keys,
    });
    for (const [code, value] of commands) this.send(code, value);
    this.peerKeys = new PeerKeys(features.initiatorKeys, secure);
    this.finish();
  }

  /** Takes a passkey, or whether the numbers are the same, from a person. False: no prompt waits for an answer. */
  answer(answer: number | boolean): boolean {
    const { answerPrompt } = this;
    this.answerPrompt = undefined;
    answerPrompt?.(answer);
    return answerPrompt !== undefined;
  }

  fail(reason: number): void {
    if (this.over) return;
    this.context.send(Buffer.from([SmpCode.pairingFailed, reason]));
    this.end(reason);
  }

  /** Ends without a message: the other side has failed, the link has ended, or the time is up. */
  end(reason: number): void {
    if (this.over) return;
    this.over = true;
    this.context.prompt(undefined);
    this.context.failed(reason);
  }

  private get secure(): boolean {
    return (this.request.auth & this.features.auth & Auth.secureConnections) !== 0;
  }

  private get method() {
    return methodOf(this.request, this.features);
  }

  private begin(pdu: Buffer): void {
    const { context, features, request } = this;
    const { settings, host, local, random } = context;
    const refused = this.refusal(settings);
    if (refused !== undefined) {
      this.fail(refused);
      return;
    }
    const response = writeFeatures(SmpCode.pairingResponse, features);
    const attempt: Attempt = {
      ...{ method: this.method, request: reversed(pdu), response: reversed(response), random },
      ...{ initiator: host, responder: local, features: { initiator: request, responder: features } },
      send: (code, value) => this.send(code, value),
      fail: (reason) => this.fail(reason),
      withPasskey: (use) => this.withPasskey(use),
      compare: (number, confirmed) => this.compare(number, confirmed),
      agreed: (key) => {
        this.key = shortened(key, this.keySize);
        this.context.prompt(undefined);
      },
    };
    this.context.send(response);
    this.exchange = this.secure ? new SecureExchange(attempt) : new LegacyExchange(attempt);
  }

  private refusal({ secureConnections, authenticated, minKeySize }: PairingSettings): number | undefined {
    const { keySize, io, oob } = this.request;
    if (keySize < 7 || keySize > 16 || io > ioCapabilities.keyboard_display) {
      return PairingFailure.invalidParameters;
    }
    // Secure Connections are out of band as soon as a side has data of the other, and this device has no such data (2.3.5.1, table 2.7).
    if (this.secure && oob === OOB_PRESENT) return PairingFailure.oobNotAvailable;
    if (this.keySize < minKeySize) return PairingFailure.encryptionKeySize;
    const isTooWeak = authenticated && !this.authenticated;
    return isTooWeak || (secureConnections === 'required' && !this.secure)
      ? PairingFailure.authenticationRequirements
      : undefined;
  }

  private withPasskey(use: (passkey: number) => void): void {
    const { method, context } = this;
    const { settings, prompt, random } = context;
    if (method === 'displays') {
      const passkey = settings.passkey ?? random(4).readUInt32BE(0) % 1_000_000;
      prompt({ asks: 'nothing', passkey });
      use(passkey);
    } else if (method === 'enters' && settings.passkey === undefined) {
      this.answerPrompt = (passkey) => {
        prompt(undefined);
        use(Number(passkey));
      };
      prompt({ asks: 'passkey' });
    } else use(method === 'enters' ? (settings.passkey ?? 0) : 0);
  }

  private compare(number: number, confirmed: () => void): void {
    const { settings, prompt } = this.context;
    this.answerPrompt = (same) => {
      prompt(undefined);
      if (same === true) confirmed();
      else this.fail(PairingFailure.numericComparisonFailed);
    };
    prompt({ asks: 'confirmation', number });
    if (settings.accept !== undefined) this.answer(settings.accept);
  }

  private send(code: number, value: Buffer): void {
    this.context.send(Buffer.concat([Buffer.from([code]), reversed(value)]));
  }

  private finish(): void {
    const { peerKeys, key, longTerm, context, secure } = this;
    if (this.over || key === undefined || peerKeys?.complete !== true) return;
    this.over = true;
    context.prompt(undefined);
    const bond: Bond = {
      host: peerKeys.address ?? context.host,
      longTermKey: secure ? key : longTerm.key,
      ...(secure ? { diversifier: 0, random: Buffer.alloc(8) } : longTerm),
      ...{ keySize: this.keySize, authenticated: this.authenticated, secure },
      ...{ identityKey: peerKeys.identity, signingKey: peerKeys.signing },
    };
    const lasting = (this.request.auth & this.features.auth & Auth.bonding) !== 0;
    context.paired(bond, lasting && (secure || (this.features.responderKeys & Key.encryption) !== 0));
  }
}
