import { Listeners } from '../async/defects.js';
import type { AdapterState } from './ports.js';

/** The state of a radio, and the listeners for its changes. */
export class RadioState {
  readonly listeners = new Listeners<AdapterState>();
  private current: AdapterState = 'unknown';

  get value(): AdapterState {
    return this.current;
  }

  set(state: AdapterState): void {
    if (state === this.current) return;
    this.current = state;
    this.listeners.call(state);
  }
}
