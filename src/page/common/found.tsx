/** The search for devices: its button, its progress and its results. */
import type { ComponentChildren } from 'preact';
import { Action } from './action.js';
import type { Outcome } from './api.js';
import type { Advertiser, Search } from './search.js';
import { connection } from './server.js';
import { texts } from './texts.js';
import { detached } from '../../async/defects.js';

interface ScanProps {
  readonly search: Pick<Search, 'progress' | 'found' | 'look'>;
  readonly label: string;
  readonly busy: string;
}

export const Scan = ({ search: { progress, found, look }, label, busy }: ScanProps) => {
  const isBusy = progress.value !== null;
  return (
    <button
      type="button"
      class={found.value.length === 0 ? 'primary' : ''}
      aria-disabled={connection.value !== 'open'}
      aria-busy={isBusy}
      onClick={() => {
        if (connection.value === 'open') detached(look());
      }}
    >
      {isBusy ? busy : label}
    </button>
  );
};

interface FoundDevice extends Advertiser {
  readonly name: string | null;
  readonly rssi: number | null;
}

interface FoundProps<D extends Advertiser> {
  readonly search: Search<D>;
  readonly texts: {
    readonly scanning: string;
    /** No device is connected, and no search runs. */
    readonly empty: string;
    readonly nothingFound: string;
    /** A search found no device except the connected ones. */
    readonly nothingElseFound: string;
  };
  /** Whether no device is connected. */
  readonly isEmpty: boolean;
  readonly nameOf: (device: D) => string;
  readonly picture?: (device: D) => ComponentChildren;
  /** Further details, beside the address and the signal. */
  readonly details?: (device: D) => readonly string[];
  readonly connectAll: () => Outcome;
  /** The actions on a device. */
  readonly children: (device: D) => ComponentChildren;
}

const Progress = ({ share, label }: { readonly share: number; readonly label: string }) => (
  <div
    class="progress"
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={Math.round(share * 100)}
  >
    <span style={{ width: `${share * 100}%` }} />
  </div>
);

export const Found = <D extends FoundDevice>(props: FoundProps<D>) => {
  const { search, texts: pageTexts, isEmpty, nameOf, picture, details, connectAll, children } = props;
  const [devices, share, failure] = [search.found.value, search.progress.value, search.failure.value];
  if (search.isIdle.value)
    return isEmpty && connection.value === 'open' ? <p class="empty">{pageTexts.empty}</p> : null;
  const problem =
    failure === null ? null : (
      <p class="failure" role="alert">
        {failure.error}
      </p>
    );
  if (search.isInVain.value)
    return (
      <p class="empty" role="status">
        {isEmpty ? pageTexts.nothingFound : pageTexts.nothingElseFound}
      </p>
    );
  if (share === null && devices.length === 0) return problem;
  return (
    <section class="found" aria-labelledby="found">
      <header>
        <h2 id="found">{share === null ? texts.foundTitle : pageTexts.scanning}</h2>
        {devices.length < 2 ? null : <Action primary label={texts.connectAll} run={connectAll} />}
      </header>
      {share === null ? null : <Progress share={share} label={pageTexts.scanning} />}
      {problem}
      <ul>
        {devices.map((device) => (
          <li key={device.address}>
            {picture === undefined ? null : (
              <span class="picture" aria-hidden="true">
                {picture(device)}
              </span>
            )}
            <span class="about">
              <strong>{nameOf(device)}</strong>{' '}
              <small>
                {device.address}
                {device.rssi === null ? '' : `, ${texts.dbm(device.rssi)}`}
              </small>
              {details === undefined ? null : <small class="details">{details(device).join(', ')}</small>}
            </span>
            {children(device)}
          </li>
        ))}
      </ul>
    </section>
  );
};
