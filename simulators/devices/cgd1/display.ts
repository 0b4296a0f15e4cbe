import type { Settings, TimeOfDay } from '../../../src/protocols/cgd1/index.js';
import { DAY_MS, ofDay, type LocalTime } from './times.js';

/** Whether the night mode is on and `time` is in its window, which may span midnight. */
const isNight = ({ night_mode_enabled, night_start, night_end }: Settings, time: LocalTime): boolean => {
  const now = time - Math.floor(time / DAY_MS) * DAY_MS;
  const isAfter = (limit: TimeOfDay): boolean => now >= ofDay(limit);
  const inWindow =
    ofDay(night_start) <= ofDay(night_end)
      ? isAfter(night_start) && !isAfter(night_end)
      : isAfter(night_start) || !isAfter(night_end);
  return night_mode_enabled && inWindow;
};

/** How bright the clock is. */
export class Display {
  /** A brightness that is not stored: it lasts until the night begins or ends. */
  private shown: { readonly brightness: number; readonly night: boolean } | undefined;

  /** Per cent. */
  brightness(settings: Settings, time: LocalTime): number {
    const night = isNight(settings, time);
    if (this.shown?.night === night) return this.shown.brightness;
    return night ? settings.night_brightness : settings.brightness;
  }

  show(brightness: number, settings: Settings, time: LocalTime): void {
    this.shown = { brightness, night: isNight(settings, time) };
  }

  /** Returns to the brightness of the settings. */
  forget(): void {
    this.shown = undefined;
  }
}
