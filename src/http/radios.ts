import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Address, Radio } from '../ble/ports.js';
import { radioEndpoints, type TypesOf } from '../contract/index.js';
import { serverRoutes, type Route } from './route.js';

/** The routes of `radioEndpoints`. `devices`: those of the server. */
export const radioRoutes = (radio: Radio, devices: () => readonly Address[]): readonly Route[] =>
  serverRoutes<TypesOf<typeof radioEndpoints>>(radioEndpoints, {
    radios: () =>
      TE.right(
        (radio.parts ?? []).map(({ name, isUp, problem, slots, signalOf, isLinked }) => ({
          ...{ name, up: isUp, problem: problem ?? null, slots: slots ?? null },
          devices: devices().flatMap((address) => {
            const [rssi, linked] = [signalOf(address) ?? null, isLinked(address)];
            return rssi === null && !linked ? [] : [{ address, rssi, linked }];
          }),
        })),
      ),
  });
