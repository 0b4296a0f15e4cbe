import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import { adapterHealth, healthRoutes, routesOf, type ListenError, type Route } from '../http/index.js';
import { endpointOperations, type MemberDevice } from '../mqtt/index.js';
import {
  serveDevices,
  withDefaults,
  type DeviceServer,
  type DeviceServerOptions,
} from '../server/device-server.js';
import { fromDeviceError, Broadcast } from '../operations/index.js';
import type { DiceConfig } from './config.js';
import {
  contract,
  endpoints,
  EventsMissed,
  health,
  DetailedStatus,
  simulatedContract,
  simulatedEndpoints,
  type Endpoints,
  type SimulatedEndpoints,
} from './contract.js';
import { diceHandlers, rollHandler } from './handlers.js';
import { dieInHomeAssistant } from './home-assistant.js';
import type { Session } from './session.js';
import { Sessions } from './sessions.js';
import { Simulator } from './simulator.js';
import { isDie } from './drivers/index.js';
import { DiceMemory, MIGRATIONS } from './memory.js';
import { openStream } from './stream.js';

export type DiceServerOptions = DeviceServerOptions<DiceConfig>;

const memberOf = (session: Session): MemberDevice => {
  const { id, detailed } = session;
  const { address, connected, label, name, dice_type } = detailed;
  return {
    address,
    ...{ isAvailable: connected, isLinked: connected },
    state: () => DetailedStatus.encode(detailed),
    identity: { session_id: id, address },
    homeAssistant: { dependencies: [label, name, dice_type], describe: dieInHomeAssistant(session) },
  };
};

const rollRoutesOf = (...simulation: Parameters<typeof rollHandler>): readonly Route[] =>
  routesOf<SimulatedEndpoints, DeviceError>(simulatedEndpoints, rollHandler(...simulation), fromDeviceError);

/** Starts the dice server. Left: it cannot listen on its port. */
export const startDiceServer = (partial: DiceServerOptions): TE.TaskEither<ListenError, DeviceServer> => {
  const options = withDefaults(partial);
  const { radio, config, time, metrics, fleet, newId } = options;
  const broadcast = new Broadcast(time, newId(), (missed, stamp) =>
    EventsMissed.encode({ kind: 'EventsMissed', ...missed, ...stamp }),
  );
  const store = options.openStore(MIGRATIONS);
  const memory: DiceMemory = new DiceMemory({
    ...{ ...options, historyDays: config.historyDays, store, server: fleet.name },
    sessionOf: (address) => sessions.of(address),
  });
  const stream = openStream({ broadcast, fleet, metrics, checkSession: (id) => sessions.find(id) });
  const sessions: Sessions = new Sessions({
    ...options,
    linkedNeighbour: fleet.linkedNeighbour,
    limits: config.limits,
    memory,
    emit: (origin, event) => {
      const at = stream.publish(origin, event);
      const session = sessions.of(origin.address);
      if (session !== undefined) memory.keep(session, event, at);
    },
    changed: (address) => {
      memory.remember(address);
      fleet.changed(address);
    },
    dismissed: fleet.dismiss,
  });
  const routes = routesOf<Endpoints, DeviceError>(
    endpoints,
    diceHandlers({ radio, sessions, memory, time, scanMs: config.limits.scan }),
    fromDeviceError,
  );
  const { simulator } = config;
  const rollRoutes =
    simulator === undefined
      ? []
      : rollRoutesOf(
          new Simulator(simulator, time),
          (address) => sessions.of(address)?.status.dice_type ?? memory.shellOf(address),
        );
  return serveDevices(options, {
    ...{ kind: 'dice', broadcast, store, stream, sessions },
    contract: simulator === undefined ? contract : simulatedContract,
    routes: [...routes, ...rollRoutes],
    healthRoutes: (common) =>
      healthRoutes(health, () =>
        adapterHealth(radio, {
          ...{ sessions: sessions.all.length, simulator: simulator !== undefined, ...common() },
        }),
      ),
    member: {
      operations: endpointOperations(routes),
      devices: () => sessions.all.map(memberOf),
      device: (address) => {
        const session = sessions.of(address);
        return session && memberOf(session);
      },
      listen: (listener) =>
        radio.listen((advertisement) => {
          const { address, rssi } = advertisement;
          if (isDie(advertisement) && rssi !== null) listener(address, rssi);
        }),
    },
    memory,
    keepConnected: (address) => sessions.keepConnected({ address }, true),
    started: () => {
      for (const request of config.autoConnect) sessions.autoConnect(request);
    },
  });
};
