import type { JsonRecord } from 'fp-ts/lib/Json.js';
import * as E from 'fp-ts/lib/Either.js';
import { AttError } from '../../src/ble/hci/att.js';
import type { Cancel } from '../../src/async/time.js';
import { PeripheralHost, type AdvertisingType, type Central } from '../ble/peripheral-host.js';
import type { Context, Device, PeripheralOnAir } from '../device.js';
import { Security, pairingFailures, type LinkAddress, type PairingSettings } from '../smp/index.js';
import { actionsOn, type ActionCodecs } from './actions.js';
import type { GattBehaviour } from './behaviour.js';
import { advertisingOf, pairingOf, type PairingBody, type StartBody } from './description/device.js';
import { valueMaker } from './description/make-values.js';
import { payloadMaker } from './description/payload.js';
import type { Answer } from './description/services.js';
import { accessError } from './server/access.js';
import { AttServer, type Outcome } from './server/att-server.js';
import { Subscriptions } from './server/subscriptions.js';
import { tableOf, type ServedAttribute, type ServedTable } from './server/table.js';

const settingsOf = (pairing: PairingBody): PairingSettings => ({
  io: pairing.io,
  secureConnections: pairing.secure_connections,
  bonding: pairing.bonding,
  authenticated: pairing.authenticated,
  passkey: pairing.passkey ?? undefined,
  accept: pairing.accept ?? undefined,
  minKeySize: pairing.min_key_size,
  maxKeySize: pairing.max_key_size,
  identityKey: pairing.identity_key,
  signingKey: pairing.signing_key,
});

/** One that has a scan response is asked for it, connectable or not. */
const typeOf = (described: StartBody): AdvertisingType => {
  const advertising = advertisingOf(described);
  if (advertising.connectable) return 'connectable';
  const made = payloadMaker({ ...described, advertising }, () => 0.5)();
  return E.isRight(made) && made.right.scanResponse.length > 0 ? 'scannable' : 'plain';
};

const linkAddress = ({ address, addressType }: Central): LinkAddress => ({
  type: addressType === 'random' ? 1 : 0,
  octets: Buffer.from(address.replaceAll(':', ''), 'hex'),
});

const addressText = ({ octets }: LinkAddress): string =>
  (octets.toString('hex').toUpperCase().match(/../g) ?? []).join(':');

const randomOctets =
  (rng: () => number) =>
  (octets: number): Buffer =>
    Buffer.from(Array.from({ length: octets }, () => Math.floor(rng() * 256)));

const DONE: Outcome = { error: 0, delayMs: 0 };

/** Client Characteristic Configuration Descriptor Improperly Configured (Core Specification Supplement Part B 1.2). */
const IMPROPERLY_CONFIGURED = 0xfd;

/** A device as a file describes it. */
export class VirtualGattDevice implements Device<ActionCodecs, GattBehaviour> {
  readonly peripheral: PeripheralOnAir;
  readonly actions;
  private readonly host: PeripheralHost;
  private readonly security: Security;
  private readonly table: ServedTable;
  private readonly server: AttServer;
  private readonly subscriptions: Subscriptions;
  private readonly authorised = new Set<string>();
  /** What bonded hosts have subscribed to, by identity. */
  private readonly remembered = new Map<string, ReadonlyMap<number, number>>();
  private readonly timers = new Set<Cancel>();

  constructor(
    private readonly described: StartBody,
    private behaviour: GattBehaviour,
    private readonly context: Context,
  ) {
    const { address, addressType, socket, time, rng, changed, happened } = context;
    const pairing = pairingOf(described);
    this.table = tableOf(described, rng);
    const { characteristics } = this.table;
    this.security = new Security({
      settings: pairing && settingsOf(pairing),
      own: linkAddress({ address, addressType }),
      ...{ time, changed, random: randomOctets(rng) },
      send: (pdu) => this.host.sendSecurity(pdu),
      paired: (_bond, lasting) => happened(() => ({ type: 'paired', bonded: lasting })),
      failed: (reason) =>
        happened(() => ({
          type: 'pairing_failed',
          reason:
            reason === undefined
              ? 'the link ended, or it took too long'
              : (pairingFailures.get(reason) ?? String(reason)),
        })),
    });
    this.subscriptions = new Subscriptions([...characteristics.values()], {
      ...{ time, rng, changed, mtu: () => this.server.mtu, mute: () => this.behaviour.mute },
      send: (pdu) => this.host.send(pdu),
    });
    this.server = new AttServer(this.table, {
      ...{ time, mtu: described.mtu, send: (pdu) => this.host.send(pdu) },
      access: (needed, { characteristic }) =>
        accessError(
          needed,
          this.security,
          characteristic !== undefined && this.authorised.has(characteristic.id),
        ),
      configurationOf: ({ characteristic }) =>
        characteristic === undefined ? 0 : this.subscriptions.configurationOf(characteristic),
      reading: (attribute) => this.reading(attribute),
      write: (attribute, value) => this.write(attribute, value),
      confirmed: () => this.subscriptions.confirmed(),
      answers: () => ({ silent: this.behaviour.silent, delayMs: this.behaviour.answer_delay_ms }),
    });
    const advertising = advertisingOf(described);
    this.host = new PeripheralHost(
      socket,
      {
        linkMade: (central) => this.linkMade(central, pairing?.requests === true),
        linkEnded: () => this.linkEnded(),
        receive: (pdu) => this.server.receive(pdu),
        refused: () => undefined,
        security: {
          receive: (pdu) => this.security.receive(pdu),
          longTermKey: (random, diversifier) => this.security.longTermKey(random, diversifier),
          encrypted: () => this.encrypted(),
        },
      },
      { intervalMs: advertising.interval_ms, type: typeOf(described) },
    );
    this.advertise();
    const { host } = this;
    this.peripheral = {
      ready: host.ready,
      name: described.name,
      get connected() {
        return host.connected;
      },
      get advertising() {
        return !host.connected;
      },
      close: () => host.close(),
    };
    this.actions = actionsOn({
      ...{ characteristics, rng, changed, security: this.security, authorised: this.authorised },
      send: (characteristic) => this.subscriptions.send(characteristic, characteristic.value.current),
      disconnect: () => host.disconnect(),
    });
  }

  model(): JsonRecord {
    const { security, server, subscriptions, behaviour, described } = this;
    const { level, keySize, prompt, bonds } = security;
    return {
      mtu: server.mtu,
      values: Object.fromEntries(
        [...this.table.characteristics.values()].map(({ id, value }) => [id, value.current.toString('hex')]),
      ),
      subscribed: [...subscriptions.ids],
      security: level,
      key_size: keySize,
      pairing: prompt === undefined ? null : { ...prompt },
      bonds: bonds.all.map(({ host, authenticated, secure }) => ({
        ...{ address: addressText(host), authenticated, secure_connections: secure },
      })),
      authorised: [...this.authorised],
      services: described.services.map(({ uuid, characteristics }) => ({
        uuid,
        characteristics: characteristics.map((one) => one.id ?? one.uuid),
      })),
      behaviour: { ...behaviour, errors: behaviour.errors.map((one) => ({ ...one })) },
    };
  }

  setBehaviour(behaviour: GattBehaviour): void {
    this.behaviour = behaviour;
    this.security.refuses = behaviour.refuse_pairing;
    this.context.changed();
  }

  close(): void {
    for (const cancel of this.timers) cancel();
    this.timers.clear();
    this.subscriptions.end();
    this.server.end();
    this.security.linkEnded();
  }

  private later(ms: number, task: () => void): void {
    if (ms === 0) {
      task();
      return;
    }
    const cancel = this.context.time.after(ms, () => {
      this.timers.delete(cancel);
      task();
    });
    this.timers.add(cancel);
  }

  private advertise(): void {
    const { described, context } = this;
    const advertising = advertisingOf(described);
    const make = payloadMaker({ ...described, advertising }, context.rng);
    const next = (): void => {
      const made = make();
      if (E.isRight(made)) this.host.advertise(made.right);
      if (advertising.change_ms !== undefined) this.later(advertising.change_ms, again);
    };
    const again = (): void => {
      // Nobody would receive it.
      if (context.listened() && !this.host.connected) next();
      else this.later(advertising.change_ms ?? 0, again);
    };
    next();
  }

  private linkMade(central: Central, asksForPairing: boolean): void {
    this.security.linkMade(linkAddress(central));
    if (asksForPairing) this.security.request();
    this.context.changed();
  }

  private linkEnded(): void {
    const { bond } = this.security;
    if (bond !== undefined) this.remembered.set(addressText(bond.host), new Map(this.subscriptions.all));
    this.subscriptions.end();
    this.server.end();
    this.security.linkEnded();
    this.context.changed();
  }

  private encrypted(): void {
    this.security.encrypted();
    const { bond } = this.security;
    const known = bond && this.remembered.get(addressText(bond.host));
    if (known !== undefined) this.subscriptions.restore(known);
  }

  private errorFor(id: string, on: 'read' | 'write'): number | undefined {
    return this.behaviour.errors.find((one) => one.characteristic === id && one.on === on)?.error;
  }

  private reading({ characteristic, value }: ServedAttribute): Outcome {
    const { error, delay_ms: delayMs = 0 } = characteristic?.described.on_read ?? {};
    const refused = (characteristic && this.errorFor(characteristic.id, 'read')) ?? error;
    if (refused !== undefined) return { error: refused, delayMs };
    if (value?.make !== undefined) {
      value.current = value.make();
      this.context.changed();
    }
    return { error: 0, delayMs };
  }

  private write({ characteristic, value }: ServedAttribute, written: Buffer): Outcome {
    if (value === undefined) return this.configure(characteristic, written.readUInt16LE(0));
    if (characteristic === undefined) {
      value.current = written;
      return DONE;
    }
    const { id, described } = characteristic;
    const answer: Answer =
      (described.on_write ?? []).find(({ prefix = '' }) => written.toString('hex').startsWith(prefix)) ?? {};
    const { error, delay_ms: delayMs = 0, value: becomes, notify = [] } = answer;
    const refused = this.errorFor(id, 'write') ?? error;
    if (refused !== undefined) return { error: refused, delayMs };
    const { rng, changed, happened } = this.context;
    value.make = undefined;
    value.current = becomes === undefined ? written : valueMaker(becomes, rng)(written);
    changed();
    happened(() => ({ type: 'written', characteristic: id, hex: written.toString('hex') }));
    return {
      ...{ error: 0, delayMs },
      then: () => {
        for (const { characteristic: target, value: parts, after_ms: ms = 0 } of notify) {
          this.later(ms, () => {
            const served = this.table.characteristics.get(target);
            if (served === undefined) return;
            served.value.current = valueMaker(parts, rng)(written);
            this.subscriptions.send(served, served.value.current);
            changed();
          });
        }
      },
    };
  }

  private configure(characteristic: ServedAttribute['characteristic'], bits: number): Outcome {
    if (characteristic === undefined) return { error: AttError.writeNotPermitted, delayMs: 0 };
    const { properties } = characteristic.described;
    const supported = (properties.includes('notify') ? 1 : 0) | (properties.includes('indicate') ? 2 : 0);
    if ((bits & ~supported) !== 0) return { error: IMPROPERLY_CONFIGURED, delayMs: 0 };
    return { ...DONE, then: () => this.subscriptions.configure(characteristic, bits) };
  }
}
