/** The search for devices: its button, its progress and its results. */
import type { ComponentChildren } from 'preact';
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { Action, Failed } from './action.js';
import { together, type Outcome } from './api.js';
import type { Advertiser, Search } from './search.js';
import { connection } from './server.js';
import { texts } from './texts.js';
import { detached } from '../../async/defects.js';

interface ScanProps {
  readonly search: Pick<Search, 'progress' | 'found' | 'look'>;
  readonly label: string;
  /** Whether a search is the first thing to do unless devices are found. */
  readonly isFirst: boolean;
}

export const Scan = ({ search: { progress, found, look }, label, isFirst }: ScanProps) => {
  const isBusy = progress.value !== null;
  return (
    <button
      type="button"
      class={isFirst && found.value.length === 0 ? 'primary' : ''}
      aria-disabled={connection.value !== 'open'}
      aria-busy={isBusy}
      onClick={() => {
        if (connection.value === 'open') detached(look());
      }}
    >
      {isBusy ? texts.looking : label}
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
  /** The devices of the list, unless it has all discovered ones. */
  readonly listed?: ReadonlySignal<readonly D[]>;
  /** Whether no device is connected. */
  readonly isEmpty: boolean;
  readonly nameOf: (device: D) => string;
  readonly picture?: (device: D) => ComponentChildren;
  /** Further details, beside the address and the signal. */
  readonly details?: (device: D) => readonly string[];
  readonly connect: (device: D, signal: AbortSignal) => Outcome;
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

interface ConnectAllProps<D> {
  readonly primary: boolean;
  readonly devices: readonly D[];
  readonly connect: (device: D, signal: AbortSignal) => Outcome;
}

/** Connects all devices, and counts them; the failures of some stay. */
const ConnectAll = <D extends Advertiser>({ primary, devices, connect }: ConnectAllProps<D>) => {
  const progress = useSignal<{ readonly done: number; readonly all: number } | null>(null);
  const run = async (signal: AbortSignal): Outcome => {
    let done = 0;
    progress.value = { done, all: devices.length };
    const failure = await together(
      devices.map(async (device) => {
        const failed = await connect(device, signal);
        if (failed === null) progress.value = { done: ++done, all: devices.length };
        return failed;
      }),
    );
    if (failure === null || signal.aborted) progress.value = null;
    return failure && { ...failure, error: `${texts.connected(done, devices.length)}: ${failure.error}` };
  };
  if (devices.length < 2 && progress.value === null) return null;
  const { done, all } = progress.value ?? { done: 0, all: 0 };
  return (
    <Action
      primary={primary}
      mayEnd
      label={texts.connectAll}
      busy={texts.connectingAll(done, all)}
      run={run}
    />
  );
};

export const Found = <D extends FoundDevice>(props: FoundProps<D>) => {
  const { search, texts: pageTexts, isEmpty, nameOf, picture, details, connect, children } = props;
  const [devices, share, failure] = [search.found.value, search.progress.value, search.failure.value];
  const { value: listed } = props.listed ?? search.found;
  if (search.isIdle.value)
    return isEmpty && connection.value === 'open' ? <p class="empty">{pageTexts.empty}</p> : null;
  const problem =
    failure === null ? null : (
      <p>
        <Failed message={failure.error} code={failure.code} />
      </p>
    );
  if (search.isInVain.value)
    return (
      <p class="empty" role="status">
        {isEmpty ? pageTexts.nothingFound : pageTexts.nothingElseFound}
      </p>
    );
  if (share === null && listed.length === 0 && devices.length < 2) return problem;
  const title = listed.length === 0 ? texts.foundAgain(devices.length) : texts.foundTitle;
  return (
    <section class="found" aria-labelledby="found">
      <header>
        <h2 id="found">{share === null ? title : pageTexts.scanning}</h2>
        <ConnectAll primary={isEmpty} devices={devices} connect={connect} />
      </header>
      {share === null ? null : <Progress share={share} label={pageTexts.scanning} />}
      {problem}
      <ul>
        {listed.map((device) => (
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
