/** The choice of a time zone by its name. */
import { timeZones } from '../../clock/time-zone.js';
import { texts } from './texts.js';

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const regionOf = (zone: string): string =>
  zone.includes('/') ? zone.slice(0, zone.indexOf('/')) : texts.otherZones;

/** The names of zones by their first part, such as `Europe`. */
const GROUPS: ReadonlyMap<string, readonly string[]> = timeZones()
  .filter((zone) => zone !== BROWSER_ZONE)
  .reduce(
    (groups, zone) => groups.set(regionOf(zone), [...(groups.get(regionOf(zone)) ?? []), zone]),
    new Map<string, readonly string[]>([[texts.browserZone, [BROWSER_ZONE]]]),
  );

/** `Los Angeles` for `America/Los_Angeles`. */
const placeOf = (zone: string): string => zone.slice(zone.indexOf('/') + 1).replaceAll('_', ' ');

const isListed = (zone: string): boolean => [...GROUPS.values()].some((zones) => zones.includes(zone));

/** The value of a clock that follows no zone. */
export const NO_ZONE = '';

interface ZoneSelectProps {
  readonly value: string;
  readonly disabled: boolean;
  readonly change: (zone: string) => void;
}

export const ZoneSelect = ({ value, disabled, change }: ZoneSelectProps) => (
  <select value={value} disabled={disabled} onChange={({ currentTarget }) => change(currentTarget.value)}>
    <option value={NO_ZONE}>{texts.noZone}</option>
    {value === NO_ZONE || isListed(value) ? null : <option value={value}>{value}</option>}
    {[...GROUPS].map(([region, zones]) => (
      <optgroup key={region} label={region}>
        {zones.map((zone) => (
          <option key={zone} value={zone}>
            {region === texts.browserZone ? zone : placeOf(zone)}
          </option>
        ))}
      </optgroup>
    ))}
  </select>
);
