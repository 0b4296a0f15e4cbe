/** The devices around the adapters, who is connected to whom, and the packets between them. */
import { useSignal } from '@preact/signals';
import type { Adapter } from '../../../simulators/control/contract.js';
import { BORDER, MIDDLE, RINGS, distanceOf, placeAt, radiusOf, step } from './place.js';
import { colourOf, markOf, shortOf, signalOf, stateOf } from './shown.js';
import { texts } from './texts.js';
import { place } from './actions.js';
import { adapterOf, adapters, chosen, devices, traffic, type Device } from './state.js';

interface Point {
  readonly x: number;
  readonly y: number;
}

const at = (radius: number, angle: number): Point => ({
  x: MIDDLE + radius * Math.cos(angle),
  y: MIDDLE + radius * Math.sin(angle),
});

const BETWEEN_ADAPTERS = 52;

/** From here on, names would overlap. */
const MOST_NAMED = 16;

/** A pointer that moved less meant to choose. */
const MOVED = 6;

const Host = ({ adapter, at: { x, y } }: { readonly adapter: Adapter; readonly at: Point }) => (
  <g class={`host${adapter.powered ? '' : ' off'}`}>
    <circle cx={x} cy={y} r="18" />
    <text x={x} y={y} text-anchor="middle" dominant-baseline="central">
      {adapter.id}
    </text>
  </g>
);

interface LinkProps {
  readonly device: Device;
  readonly from: Point;
  readonly to: Point | undefined;
}

const Link = ({ device, from, to }: LinkProps) => {
  if (to === undefined) return null;
  const way = traffic.value.get(device.address);
  const line = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
  return (
    <g class="link">
      <line {...line} />
      {way === undefined ? null : <line class={`packets ${way}`} {...line} />}
    </g>
  );
};

interface Standing {
  readonly device: Device;
  readonly point: Point;
}

/** Each adapter on the side of its devices, so that links do not cross others. */
const placedAdapters = (standing: readonly Standing[]): ReadonlyMap<Adapter, Point> => {
  const side = (adapter: Adapter): number => {
    const own = standing.filter(({ device }) => adapter.devices.includes(device.address));
    return own.reduce((sum, { point }) => sum + point.x - MIDDLE, 0);
  };
  const inOrder = [...adapters.value].sort((one, other) => side(one) - side(other));
  const first = MIDDLE - ((inOrder.length - 1) / 2) * BETWEEN_ADAPTERS;
  return new Map(
    inOrder.map((adapter, index) => [adapter, { x: first + index * BETWEEN_ADAPTERS, y: MIDDLE }]),
  );
};

interface MarkProps {
  readonly device: Device;
  readonly point: Point;
  readonly moved: (event: PointerEvent) => void;
  readonly dropped: (event: PointerEvent) => void;
}

const Mark = ({ device, point: { x, y }, moved, dropped }: MarkProps) => {
  const { address, kind, in_range, model } = device;
  const isChosen = chosen.value === address;
  return (
    <g
      class={`mark ${colourOf(device)}${in_range === false ? ' beyond' : ''}${isChosen ? ' chosen' : ''}`}
      role="button"
      tabindex={0}
      aria-pressed={isChosen}
      aria-label={texts.device(
        `${texts.name(kind)} ${shortOf(device)} ${markOf(device)}`,
        signalOf(device),
        stateOf(device),
      )}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        chosen.value = address;
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) moved(event);
      }}
      onPointerUp={dropped}
      onKeyDown={(event) => {
        const { key } = event;
        if (key === 'Enter' || key === ' ') chosen.value = address;
        else if (key === 'ArrowUp' || key === 'ArrowLeft') void place(address, step(device, true));
        else if (key === 'ArrowDown' || key === 'ArrowRight') void place(address, step(device, false));
        else return;
        event.preventDefault();
      }}
    >
      {devices.value.size > MOST_NAMED ? null : (
        <text class="label" x={x} y={y + 29} text-anchor="middle">
          {shortOf(device)}
        </text>
      )}{' '}
      <g class={model['rolling'] === true ? 'shaking' : ''}>
        {kind === 'dice' ? (
          <rect x={x - 15} y={y - 15} width="30" height="30" rx="7" />
        ) : (
          <circle cx={x} cy={y} r="17" />
        )}
        <text class="face" x={x} y={y} text-anchor="middle" dominant-baseline="central">
          {markOf(device)}
        </text>
      </g>
    </g>
  );
};

export const AirMap = () => {
  /** Where those stand that were dragged, radians. */
  const angles = useSignal<ReadonlyMap<string, number>>(new Map());
  const dragged = useSignal<(Point & { readonly address: string }) | null>(null);
  const all = [...devices.value.values()].sort((one, other) => one.address.localeCompare(other.address));

  const pointOf = (device: Device, index: number): Point => {
    if (dragged.value?.address === device.address) return dragged.value;
    const usual = ((index + 0.5) / all.length) * 2 * Math.PI - Math.PI / 2;
    return at(distanceOf(device), angles.value.get(device.address) ?? usual);
  };

  const positionOf = (event: PointerEvent): Point => {
    const { currentTarget } = event;
    const matrix = currentTarget instanceof SVGGraphicsElement ? currentTarget.getScreenCTM() : null;
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix?.inverse());
  };

  const moved = (address: string, from: Point, event: PointerEvent): void => {
    const { x, y } = positionOf(event);
    const isFar = Math.hypot(x - from.x, y - from.y) > MOVED;
    if (dragged.value !== null || isFar) dragged.value = { address, x, y };
  };

  const dropped = (address: string): void => {
    if (dragged.value === null) return;
    const [dx, dy] = [dragged.value.x - MIDDLE, dragged.value.y - MIDDLE];
    angles.value = new Map(angles.value).set(address, Math.atan2(dy, dx));
    void place(address, placeAt(Math.hypot(dx, dy))).then(() => (dragged.value = null));
  };

  const standing = all.map((device, index) => ({ device, point: pointOf(device, index) }));
  const hosts = placedAdapters(standing);
  const hostOf = ({ address, connected }: Device): Point | undefined => {
    const adapter = connected ? adapterOf(address) : undefined;
    return adapter === undefined ? undefined : hosts.get(adapter);
  };
  return (
    <figure class="map">
      <svg viewBox={`0 0 ${2 * MIDDLE} ${2 * MIDDLE}`} role="group" aria-label={texts.map}>
        <circle class="reach" cx={MIDDLE} cy={MIDDLE} r={BORDER} />
        {RINGS.map((rssi) => (
          <g class="ring" key={rssi}>
            <circle cx={MIDDLE} cy={MIDDLE} r={radiusOf(rssi)} />
            <text x={MIDDLE} y={MIDDLE - radiusOf(rssi) - 3} text-anchor="middle">
              {texts.ring(rssi)}
            </text>
          </g>
        ))}
        {standing.map(({ device, point }) => (
          <Link key={device.address} device={device} from={point} to={hostOf(device)} />
        ))}
        {[...hosts].map(([adapter, point]) => (
          <Host key={adapter.id} adapter={adapter} at={point} />
        ))}
        {standing.map(({ device, point }) => (
          <Mark
            key={device.address}
            device={device}
            point={point}
            moved={(event) => moved(device.address, point, event)}
            dropped={() => dropped(device.address)}
          />
        ))}
      </svg>
      <figcaption>{adapters.value.length === 0 ? texts.noAdapters : texts.mapHint}</figcaption>
    </figure>
  );
};
