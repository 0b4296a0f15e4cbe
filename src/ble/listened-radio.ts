import { Listeners } from '../async/defects.js';
import type { AdapterState, Advertisement, Unsubscribe } from './ports.js';

/** The state and the listeners of a radio. */
export abstract class ListenedRadio {
  protected readonly listeners = new Listeners<Advertisement>();
  protected readonly stateListeners = new Listeners<AdapterState>();
  private readonly observers = new Listeners<Advertisement>();
  private current: AdapterState = 'unknown';
  /** True from the beginning of `close`: no listener is called any more. */
  protected closed = false;

  get state(): AdapterState {
    return this.current;
  }

  onState(listener: (state: AdapterState) => void): Unsubscribe {
    return this.stateListeners.add(listener);
  }

  listen(listener: (advertisement: Advertisement) => void): Unsubscribe {
    const remove = this.listeners.add(listener);
    this.updateScan();
    return () => {
      remove();
      this.updateScan();
    };
  }

  observe(listener: (advertisement: Advertisement) => void): Unsubscribe {
    return this.observers.add(listener);
  }

  /** Scans while there is a listener. */
  protected abstract updateScan(): void;

  /** Called after a change of the state, before its listeners. */
  protected stateChanged(): void {
    // Most radios know their reason before their state.
  }

  protected changeState(state: AdapterState): void {
    if (this.closed || state === this.current) return;
    this.current = state;
    this.stateChanged();
    this.stateListeners.call(state);
  }

  protected hear(advertisement: Advertisement): void {
    if (this.closed) return;
    this.observers.call(advertisement);
    this.listeners.call(advertisement);
  }
}
