/** The devices that a scan found and that are not connected. */
import type { ComponentChildren } from 'preact';
import { texts } from './texts.js';

interface Advertiser {
  readonly address: string;
  readonly name: string | null;
  readonly rssi: number | null;
}

export interface FoundProps<D> {
  /** Null: nobody has looked yet. */
  readonly devices: readonly D[] | null;
  /** What to do when there is none. */
  readonly nothing: string;
  readonly nameOf: (device: D) => string;
  /** What can be done with one. */
  readonly children: (device: D) => ComponentChildren;
}

export const Found = <D extends Advertiser>({ devices, nothing, nameOf, children }: FoundProps<D>) =>
  devices === null ? null : (
    <section class="found" aria-labelledby="found">
      <h2 id="found">{texts.foundTitle}</h2>
      {devices.length === 0 ? (
        <p>{nothing}</p>
      ) : (
        <ul>
          {devices.map((device) => (
            <li key={device.address}>
              <span>
                <strong>{nameOf(device)}</strong>{' '}
                <small>
                  {device.address}
                  {device.rssi === null ? '' : `, ${texts.dbm(device.rssi)}`}
                </small>
              </span>
              {children(device)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
