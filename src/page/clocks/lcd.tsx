/** The display of a clock, as the clock shows it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { detached } from '../../async/defects.js';
import { commands } from '../../clock/contract.js';
import { Failed } from '../common/action.js';
import { BatteryPicture } from '../common/battery.js';
import { Readings } from '../common/controls.js';
import { setBrightness } from './actions.js';
import { fullNameOf, now, type ClockView } from './state.js';
import { rangeOf } from './range.js';
import { namedFor, texts as shared } from '../common/texts.js';
import { texts } from './texts.js';
import { aheadOf, difference, localTime, nextInWords, shown, usualBrightness } from './time.js';
import { humidityIn, temperatureIn } from './points.js';

const Battery = ({ level }: { readonly level: number | null }) => (
  <span class="battery" title={shared.battery}>
    <BatteryPicture level={level} />
    {level === null ? shared.unknown : texts.percent(level)}
  </span>
);

/** How the time of a clock differs from that of its time zone, or else from that of the browser. */
const Zone = ({ settings }: Pick<ClockView, 'settings'>) => {
  if (settings === null) return null;
  const ahead = aheadOf(settings, now.value);
  if (ahead === null) return null;
  const { minutes, zone } = ahead;
  return (
    <p class="zone">
      {(minutes > 0 ? texts.ahead : texts.behind)(difference(minutes), zone ?? texts.thisZone)}
    </p>
  );
};

export const Lcd = ({ clock }: { readonly clock: ClockView }) => {
  const { settings, alarms, reading, battery } = clock;
  const date = localTime(now.value, settings?.timezone_offset_minutes ?? 0);
  const { digits, half } =
    settings === null
      ? { digits: '--:--', half: '' }
      : shown(date.getUTCHours(), date.getUTCMinutes(), settings.time_format);
  const unit = settings?.temperature_unit ?? 'C';
  const temperature = reading === null ? '–' : temperatureIn(unit, reading.temperature);
  const humidity = reading === null ? '–' : humidityIn(reading.humidity);
  const next = settings === null || alarms === null ? undefined : nextInWords(alarms, settings, now.value);
  return (
    <div class="lcd">
      <div>
        <p class="clock-time">
          <span>{digits}</span> <small>{half}</small>
        </p>
        <Zone settings={settings} />
      </div>
      <Readings
        of={[
          [texts.temperature, temperature],
          [texts.humidity, humidity],
        ]}
      />
      <p class="lcd-foot">
        <span>{next === null ? texts.noNextAlarm : next && texts.nextAlarm(next)}</span>
        <Battery level={battery} />
      </p>
    </div>
  );
};

const BRIGHTNESS = rangeOf(commands.set_brightness.parameters, 'value');

/** A slider, once the brightness is known, that sends one request at a time, and its final value last. */
export const Brightness = ({ clock }: { readonly clock: ClockView }) => {
  const { address, settings, linked } = clock;
  const chosen = useSignal<number | null>(null);
  const failure = useSignal<string | undefined>(undefined);
  const sending = useSignal(false);
  const usual = settings === null ? null : usualBrightness(settings, now.value);
  // The clock returns to the brightness of its settings when they are written, and when the night begins or ends.
  useEffect(() => {
    if (!sending.value) chosen.value = null;
  }, [settings, usual]);

  const value = chosen.value ?? usual;
  if (value === null) return null;
  const inWords = texts.ofMost(value, BRIGHTNESS.max);

  const send = async (brightness: number): Promise<void> => {
    chosen.value = brightness;
    if (sending.value) return;
    sending.value = true;
    for (let sent: number | null = null; sent !== chosen.value;) {
      sent = chosen.value;
      failure.value = (await setBrightness(address, sent))?.error;
    }
    sending.value = false;
  };

  return (
    <label class="slider" aria-busy={sending.value}>
      <span>
        {texts.brightness} <output>{inWords}</output>
      </span>
      <input
        type="range"
        {...BRIGHTNESS}
        value={value}
        aria-label={namedFor(texts.brightness, fullNameOf(clock))}
        aria-valuetext={inWords}
        disabled={!linked}
        onInput={(event) => detached(send(event.currentTarget.valueAsNumber))}
      />
      <Failed message={failure.value} />
    </label>
  );
};
