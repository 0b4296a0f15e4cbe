import type { JsonRecord } from 'fp-ts/lib/Json.js';
import * as E from 'fp-ts/lib/Either.js';
import { AttServer } from '../../ble/att-server.js';
import type { DeviceAddress } from '../../../src/ble/hci/packets.js';
import { PeripheralHost, type AdvertisingType } from '../../ble/peripheral-host.js';
import type { Context, Device, PeripheralOnAir } from '../device.js';
import { Security, pairingFailures } from '../../smp/index.js';
import { actionsOn, type ActionCodecs } from './actions.js';
import type { GattBehaviour } from './behaviour.js';
import { advertisingOf, pairingOf, type StartBody } from './description/device.js';
import { settingsOf } from './description/pairing.js';
import { payloadMaker } from './description/payload.js';
import { Subscriptions } from './server/subscriptions.js';
import { tableOf, type ServedAttribute, type ServedTable } from './server/table.js';
import { DescribedValues } from './server/values.js';
import { Timers } from '../../timers.js';

/** A device that is not connectable is scannable if it has a scan response. */
const typeOf = (described: StartBody): AdvertisingType => {
  const advertising = advertisingOf(described);
  if (advertising.connectable) return 'connectable';
  const made = payloadMaker({ ...described, advertising }, () => 0.5)();
  return E.isRight(made) && made.right.scanResponse.length > 0 ? 'scannable' : 'plain';
};

const randomOctets =
  (rng: () => number) =>
  (octets: number): Buffer =>
    Buffer.from(Array.from({ length: octets }, () => Math.floor(rng() * 256)));

/** A device as a file describes it. */
export class VirtualGattDevice implements Device<ActionCodecs, GattBehaviour> {
  readonly peripheral: PeripheralOnAir;
  readonly actions;
  private readonly host: PeripheralHost;
  private readonly security: Security;
  private readonly table: ServedTable;
  private readonly server: AttServer<ServedAttribute>;
  private readonly subscriptions: Subscriptions;
  private readonly authorised = new Set<string>();
  /** The client configurations of bonded hosts, by identity. */
  private readonly remembered = new Map<string, ReadonlyMap<number, number>>();
  private readonly timers: Timers;

  constructor(
    private readonly described: StartBody,
    private behaviour: GattBehaviour,
    private readonly context: Context,
  ) {
    const { address, addressType, socket, time, hostTime, rng, changed, happened } = context;
    const pairing = pairingOf(described);
    const { privacy } = described;
    this.timers = new Timers(time);
    this.table = tableOf(described, rng);
    const { characteristics } = this.table;
    this.security = new Security({
      settings: pairing && settingsOf(pairing, privacy !== undefined),
      identity: { address, type: addressType },
      ...{ time: hostTime, changed, random: randomOctets(rng) },
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
    const values = new DescribedValues({
      ...{ rng, changed, happened, later: this.timers.later, characteristics },
      ...{ subscriptions: this.subscriptions, security: this.security, authorised: this.authorised },
      errors: () => this.behaviour.errors,
    });
    this.server = new AttServer(values, {
      ...{ time, mtu: described.mtu, send: (pdu) => this.host.send(pdu) },
      misbehaviour: () => ({ silent: this.behaviour.silent, delayMs: this.behaviour.answer_delay_ms }),
    });
    const advertising = advertisingOf(described);
    this.host = new PeripheralHost(
      socket,
      {
        linkMade: (central, local) => this.linkMade(central, local, pairing?.requests === true),
        linkEnded: () => this.linkEnded(),
        receive: (pdu) => this.server.receive(pdu),
        refused: () => undefined,
        security: {
          receive: (pdu) => this.security.receive(pdu),
          longTermKey: (random, diversifier) => this.security.longTermKey(random, diversifier),
          encrypted: () => this.encrypted(),
        },
      },
      {
        ...{ intervalMs: advertising.interval_ms, type: typeOf(described) },
        ...(privacy !== undefined && {
          privacy: { identityKey: this.security.keys.identity, timeoutSecs: privacy.timeout_secs },
        }),
      },
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
        ...{ address: host.address, authenticated, secure_connections: secure },
      })),
      authorised: [...this.authorised],
      services: described.services.map(({ uuid, characteristics }) => ({
        uuid,
        characteristics: characteristics.map((characteristic) => characteristic.id ?? characteristic.uuid),
      })),
      behaviour: { ...behaviour, errors: behaviour.errors.map((error) => ({ ...error })) },
    };
  }

  setBehaviour(behaviour: GattBehaviour): void {
    this.behaviour = behaviour;
    this.security.refuses = behaviour.refuse_pairing;
    this.context.changed();
  }

  close(): void {
    this.timers.clear();
    this.subscriptions.end();
    this.server.end();
    this.security.linkEnded();
  }

  private advertise(): void {
    const { described, context } = this;
    const advertising = advertisingOf(described);
    const make = payloadMaker({ ...described, advertising }, context.rng);
    const next = (): void => {
      const made = make();
      if (E.isRight(made)) this.host.advertise(made.right);
      if (advertising.change_ms !== undefined) this.timers.later(advertising.change_ms, again);
    };
    const again = (): void => {
      // Without a scanner nobody receives new data.
      if (context.listened() && !this.host.connected) next();
      else this.timers.later(advertising.change_ms ?? 0, again);
    };
    next();
  }

  private linkMade(central: DeviceAddress, local: DeviceAddress | undefined, asksForPairing: boolean): void {
    this.security.linkMade(central, local);
    this.server.begin(this.table.attributes);
    if (asksForPairing) this.security.request();
    this.context.changed();
  }

  private linkEnded(): void {
    const { bond, level } = this.security;
    // A link that was not encrypted may belong to another device with the host's address.
    if (bond !== undefined && level !== 'open')
      this.remembered.set(bond.host.address, new Map(this.subscriptions.all));
    this.subscriptions.end();
    this.server.end();
    this.security.linkEnded();
    this.context.changed();
  }

  private encrypted(): void {
    // A new pairing restores no subscriptions: it may come from another host with the same address.
    if (!this.security.encrypted()) return;
    const { bond } = this.security;
    const configurations = bond && this.remembered.get(bond.host.address);
    if (configurations !== undefined) this.subscriptions.restore(configurations);
  }
}
