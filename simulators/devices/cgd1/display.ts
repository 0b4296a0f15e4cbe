import { isNight, type Settings } from '../../../src/protocols/cgd1/index.js';
import { minuteOfDay, type LocalTime } from './times.js';

/** How bright the clock is. */
export class Display {
  /** A brightness that is not stored: it lasts until the night begins or ends. */
  private shown: { readonly brightness: number; readonly night: boolean } | undefined;

  /** Per cent. */
  brightness(settings: Settings, time: LocalTime): number {
    const night = isNight(settings, minuteOfDay(time));
    if (this.shown?.night === night) return this.shown.brightness;
    return night ? settings.night_brightness : settings.brightness;
  }

  show(brightness: number, settings: Settings, time: LocalTime): void {
    this.shown = { brightness, night: isNight(settings, minuteOfDay(time)) };
  }

  /** Returns to the brightness of the settings. */
  forget(): void {
    this.shown = undefined;
  }
}
