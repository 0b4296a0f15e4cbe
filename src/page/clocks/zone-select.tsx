/** The choice of a time zone by its name. */
import { presentName, timeZones } from '../../clock/time-zone.js';
import { texts } from './texts.js';

const BROWSER_ZONE = presentName(Intl.DateTimeFormat().resolvedOptions().timeZone);

const regionOf = (zone: string): string =>
  zone.includes('/') ? zone.slice(0, zone.indexOf('/')) : texts.otherZones;

const groupOf = (zone: string): string => (zone === BROWSER_ZONE ? texts.browserZone : regionOf(zone));

/** The names of zones by their first part, such as `Europe`, after that of the browser. */
const GROUPS: ReadonlyMap<string, readonly string[]> = [...timeZones()]
  .sort((a, b) => Number(b === BROWSER_ZONE) - Number(a === BROWSER_ZONE))
  .reduce(
    (groups, zone) => groups.set(groupOf(zone), [...(groups.get(groupOf(zone)) ?? []), zone]),
    new Map<string, readonly string[]>(),
  );

/** `Los Angeles` for `America/Los_Angeles`. */
const placeOf = (zone: string): string => zone.slice(zone.indexOf('/') + 1).replaceAll('_', ' ');

const isListed = (zone: string): boolean => [...GROUPS.values()].some((zones) => zones.includes(zone));

/** The value of a clock that follows no zone. */
export const NO_ZONE = '';

interface ZoneSelectProps {
  /** A name of a zone, or `NO_ZONE`. */
  readonly value: string;
  readonly disabled: boolean;
  readonly change: (zone: string) => void;
}

export const ZoneSelect = ({ value, disabled, change }: ZoneSelectProps) => {
  const present = presentName(value);
  return (
    <select value={present} disabled={disabled} onChange={({ currentTarget }) => change(currentTarget.value)}>
      <option value={NO_ZONE}>{texts.noZone}</option>
      {present === NO_ZONE || isListed(present) ? null : <option value={present}>{present}</option>}
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
};
