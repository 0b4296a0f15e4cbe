/** The Security Manager of a peripheral: its bonds, and the security of its link. */
import { reversed } from '../ble/aes.js';
import { SmpCode } from '../ble/smp.js';
import type { Cancel, TimeSource } from '../../src/async/time.js';
import { Bonds, type Bond } from './bonds.js';
import type { DeviceAddress } from '../../src/ble/hci/packets.js';
import { Auth, PairingFailure, lengths } from './messages.js';
import { Pairing, type Prompt } from './pairing.js';
import type { PairingSettings } from './settings.js';

/** The security of a link: `encrypted` with a key that an attacker in the middle may know, `authenticated` with a safe key. */
export type SecurityLevel = 'open' | 'encrypted' | 'authenticated';

export interface SecurityContext {
  /** Undefined: the device does not pair. */
  readonly settings: PairingSettings | undefined;
  readonly identity: DeviceAddress;
  /** Real time, whatever the pace of the simulation: hosts and people answer in it. */
  readonly time: TimeSource;
  readonly random: (octets: number) => Buffer;
  readonly send: (pdu: Buffer) => void;
  /** Reports a change of the level, the bonds or the prompt. */
  readonly changed: () => void;
  readonly paired: (bond: Bond, lasting: boolean) => void;
  /** `reason`: the code of Pairing Failed, sent or received; undefined: it took too long, or the link ended. */
  readonly failed: (reason: number | undefined) => void;
}

/** How long the other side may take to answer, milliseconds (Core 5.4 Vol 3 Part H 3.4). */
const TIMEOUT_MS = 30_000;

const codes = new Set<number>(Object.values(SmpCode));

/** A failure without a reason of Pairing Failed. */
const SILENT = 0;

export class Security {
  readonly bonds = new Bonds();
  /** The text or question for a person now. */
  prompt: Prompt | undefined;
  level: SecurityLevel = 'open';
  /** Whether the device misbehaves and refuses to pair. */
  refuses = false;
  /** Octets of the key; 0 on an open link. */
  keySize = 0;
  private host: DeviceAddress | undefined;
  /** The device's address on the link. */
  private local: DeviceAddress;
  private pairing: Pairing | undefined;
  /** The key with which the link is being encrypted. */
  private offered: Pick<Bond, 'authenticated' | 'keySize'> | undefined;
  private limit: Cancel | undefined;
  /** After a time-out the link refuses pairing. */
  private timedOut = false;
  readonly keys: { readonly identity: Buffer; readonly signing: Buffer };

  constructor(private readonly context: SecurityContext) {
    this.keys = { identity: context.random(16), signing: context.random(16) };
    this.local = context.identity;
  }

  /** The bond with the host on the link. */
  get bond(): Bond | undefined {
    return this.host === undefined ? undefined : this.bonds.of(this.host);
  }

  /** `local`: the address that the device has on the link. */
  linkMade(host: DeviceAddress, local = this.context.identity): void {
    this.host = host;
    this.local = local;
    this.timedOut = false;
  }

  linkEnded(): void {
    this.pairing?.end(SILENT);
    this.over();
    this.host = undefined;
    this.offered = undefined;
    this.level = 'open';
    this.keySize = 0;
  }

  /** Asks the host to encrypt the link, or to pair. */
  request(): void {
    const { settings, send } = this.context;
    if (settings === undefined) return;
    const { bonding, authenticated, secureConnections } = settings;
    const auth =
      (bonding ? Auth.bonding : 0) |
      (authenticated ? Auth.mitm : 0) |
      (secureConnections === 'off' ? 0 : Auth.secureConnections);
    send(Buffer.from([SmpCode.securityRequest, auth]));
  }

  receive(pdu: Buffer): void {
    const code = pdu.readUInt8(0);
    const { settings, send } = this.context;
    const fail = (reason: number): void => {
      if (this.pairing === undefined) send(Buffer.from([SmpCode.pairingFailed, reason]));
      else this.pairing.fail(reason);
    };
    // Reserved codes are ignored (3.3).
    if (this.timedOut || this.host === undefined || !codes.has(code)) return;
    if (code === SmpCode.pairingFailed) this.pairing?.end(pdu[1] ?? PairingFailure.unspecifiedReason);
    else if (settings === undefined || this.refuses) {
      if (code === SmpCode.pairingRequest) fail(PairingFailure.pairingNotSupported);
    } else if (lengths[code] === undefined) fail(PairingFailure.commandNotSupported);
    else if (pdu.length !== lengths[code]) fail(PairingFailure.invalidParameters);
    else if (code === SmpCode.pairingRequest) this.begin(settings, this.host, pdu);
    else if (code !== SmpCode.pairingKeypressNotification && this.pairing !== undefined) {
      this.wait();
      this.pairing.receive(code, pdu);
    }
  }

  /** The key that the central asks for; undefined if the device does not have it. */
  longTermKey(random: Buffer, diversifier: number): Buffer | undefined {
    const unnamed = diversifier === 0 && random.every((octet) => octet === 0);
    const { pairing, bond } = this;
    if (pairing?.encryptionKey !== undefined && unnamed) {
      this.offered = pairing;
      return reversed(pairing.encryptionKey);
    }
    const bondOfKey = this.bonds.all.find((candidate) =>
      candidate.secure
        ? unnamed && candidate === bond
        : candidate.diversifier === diversifier && reversed(candidate.random).equals(random),
    );
    this.offered = bondOfKey;
    return bondOfKey && reversed(bondOfKey.longTermKey);
  }

  /** The link is encrypted with the last key from `longTermKey`. True: the key of a bond, not of a pairing under way. */
  encrypted(): boolean {
    const { offered } = this;
    if (offered === undefined) return false;
    this.level = offered.authenticated ? 'authenticated' : 'encrypted';
    this.keySize = offered.keySize;
    this.context.changed();
    if (offered !== this.pairing) return true;
    this.pairing.encrypted();
    return false;
  }

  /** False: no prompt for a passkey. */
  enter(passkey: number): boolean {
    return this.prompt?.asks === 'passkey' && this.pairing?.answer(passkey) === true;
  }

  /** False: no prompt to compare numbers. */
  confirm(same: boolean): boolean {
    return this.prompt?.asks === 'confirmation' && this.pairing?.answer(same) === true;
  }

  forget(): void {
    this.bonds.clear();
    this.context.changed();
  }

  private begin(settings: PairingSettings, host: DeviceAddress, pdu: Buffer): void {
    const { context, keys, local } = this;
    this.pairing?.end(SILENT);
    this.wait();
    this.pairing = new Pairing(
      {
        ...{ settings, host, keys, local, identity: context.identity, random: context.random },
        send: context.send,
        prompt: (prompt) => {
          this.prompt = prompt;
          context.changed();
        },
        failed: (reason) => {
          this.over();
          context.failed(reason === SILENT ? undefined : reason);
        },
        paired: (bond, lasting) => {
          this.over();
          if (lasting) this.bonds.add(bond);
          context.paired(bond, lasting);
          context.changed();
        },
      },
      pdu,
    );
    // A refused request fails before the pairing is assigned.
    if (this.limit === undefined) this.pairing = undefined;
  }

  /** Starts the limit for the other side's answer again. */
  private wait(): void {
    this.limit?.();
    this.limit = this.context.time.after(TIMEOUT_MS, () => {
      this.limit = undefined;
      this.timedOut = true;
      this.pairing?.end(SILENT);
    });
  }

  private over(): void {
    this.limit?.();
    this.limit = undefined;
    this.pairing = undefined;
    this.prompt = undefined;
  }
}
