/** The button that looks for devices. */
import { detached } from '../async/defects.js';
import type { Search } from './search.js';
import { connection } from './server.js';

export interface ScanProps {
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
