/** The trace: a live list of packets, and a file. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Packet } from '../control/contract.js';
import { Action } from '../../src/page/common/action.js';
import { Readings, Select } from '../../src/page/common/controls.js';
import { labelOf } from './shown.js';
import { texts } from './texts.js';
import {
  HOSTS,
  chosenPacket,
  clear,
  controllers,
  deviceIn,
  dropped,
  filter,
  follow,
  linkIn,
  packets,
  shownPackets,
} from './trace.js';
import { saveTrace } from './actions.js';
import { devices, inOrder } from './state.js';

/** The height of the list, pixels. */
const HEIGHT = 364;

/** The height of a row, pixels: rows on a phone have two lines. */
const WIDE_ROW = 28;
const NARROW_ROW = 44;
const isNarrow = matchMedia('(max-width: 840px)');

const rowHeight = (): number => (isNarrow.matches ? NARROW_ROW : WIDE_ROW);

/** The number of rows beyond each edge, for quick scrolling. */
const SPARE = 8;

const timeOf = ({ time }: Packet): string =>
  `${new Date(time).toTimeString().slice(0, 8)}${time.slice(19, 23)}`;

/** An arrow and, where there is room, a word. */
const Way = ({ direction }: Pick<Packet, 'direction'>) => {
  if (direction === null) return null;
  const isSent = direction === 'host_to_controller';
  return (
    <>
      {isSent ? '→' : '←'}
      <span class="word"> {isSent ? texts.sent : texts.received}</span>
    </>
  );
};

/** The device of a packet, by the end of its address and its name. */
const deviceOf = (packet: Packet): string => {
  const address = deviceIn(packet);
  const device = address === null ? undefined : devices.value.get(address);
  return device === undefined ? (address ?? '') : labelOf(device);
};

/** The protocol of a packet whose summary does not begin with it. */
const protocolOf = ({ protocol, summary }: Packet): string => {
  const name = texts.protocols[protocol];
  return summary.startsWith(name) ? '' : name;
};

const directionOf = ({ direction }: Packet): string =>
  direction === null ? '' : texts.directions[direction];

const idOf = ({ number }: Packet): string => `packet-${number}`;

interface RowProps {
  readonly packet: Packet;
  readonly index: number;
  readonly of: number;
  readonly height: number;
}

const Row = ({ packet, index: place, of, height }: RowProps) => {
  const { number, protocol, summary } = packet;
  const device = deviceOf(packet);
  const name = protocolOf(packet);
  return (
    <li
      id={idOf(packet)}
      class={protocol}
      role="option"
      aria-selected={packet === chosenPacket.value}
      aria-posinset={place + 1}
      aria-setsize={of}
      title={summary}
      style={{ height: `${height}px` }}
      onClick={() => (chosenPacket.value = packet)}
    >
      <span class="number">{number}</span>
      <span class="time">{timeOf(packet)}</span>
      <span class="link">{linkIn(packet)}</span>
      <span class="device" title={device}>
        {device}
      </span>
      <span class="way" title={directionOf(packet)}>
        <Way direction={packet.direction} />
      </span>
      <span class="summary">
        {name === '' ? null : <small>{name} </small>}
        {summary}
      </span>
    </li>
  );
};

/** The names of the columns, which each row has in the same order. */
const Head = () => (
  <div class="packet-head" aria-hidden="true">
    {Object.entries(texts.columns).map(([column, name]) => (
      <span key={column} class={column}>
        {name}
      </span>
    ))}
  </div>
);

/** The index that a key of the list leads to; undefined for other keys. */
const targetOf = (key: string, at: number, last: number, page: number): number | undefined => {
  const targets: Readonly<Record<string, number>> = {
    ...{ ArrowUp: at < 0 ? last : at - 1, ArrowDown: at < 0 ? last : at + 1 },
    ...{ PageUp: at - page, PageDown: at + page, Home: 0, End: last, Enter: at < 0 ? last : at },
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.min(last, Math.max(0, target));
};

const List = () => {
  const list = useRef<HTMLUListElement>(null);
  const top = useSignal(0);
  const isFollowing = useRef(true);
  const before = useRef<readonly Packet[]>([]);
  const shown = shownPackets.value;
  const chosen = chosenPacket.value;
  const row = rowHeight();
  const rows = Math.floor(HEIGHT / row);

  useLayoutEffect(() => {
    const { current: element } = list;
    const [first] = shown;
    const removed = first === undefined ? -1 : before.current.indexOf(first);
    before.current = shown;
    if (element === null) return;
    if (isFollowing.current) element.scrollTop = element.scrollHeight;
    else if (removed > 0) element.scrollTop -= removed * row;
  }, [shown]);

  const choose = (index: number): void => {
    const { current: element } = list;
    const packet = shown[index];
    if (element === null || packet === undefined) return;
    chosenPacket.value = packet;
    const least = (index + 1) * row - HEIGHT;
    element.scrollTop = Math.min(index * row, Math.max(least, element.scrollTop));
  };
  // The browser scrolls a shortened list later.
  const from = Math.max(0, Math.min(Math.floor(top.value / row), shown.length - rows) - SPARE);
  const seen = shown.slice(from, from + rows + 2 * SPARE);
  return (
    <ul
      ref={list}
      class="packet-list"
      role="listbox"
      aria-label={texts.packets}
      aria-activedescendant={chosen !== null && seen.includes(chosen) ? idOf(chosen) : undefined}
      tabIndex={0}
      style={{ height: `${HEIGHT}px` }}
      onScroll={({ currentTarget: { scrollTop, scrollHeight } }) => {
        top.value = scrollTop;
        isFollowing.current = scrollTop + HEIGHT > scrollHeight - row;
      }}
      onKeyDown={(event) => {
        const target = targetOf(
          event.key,
          chosen === null ? -1 : shown.indexOf(chosen),
          shown.length - 1,
          rows,
        );
        if (target === undefined) return;
        event.preventDefault();
        choose(target);
      }}
    >
      <li role="presentation" style={{ height: `${from * row}px` }} />
      {seen.map((packet, index) => (
        <Row key={packet.number} packet={packet} index={from + index} of={shown.length} height={row} />
      ))}
      <li role="presentation" style={{ height: `${(shown.length - from - seen.length) * row}px` }} />
    </ul>
  );
};

const Details = () => {
  const packet = chosenPacket.value;
  if (packet === null) return <p class="quiet">{texts.choosePacket}</p>;
  const { number, protocol, summary, parts, hex, time } = packet;
  const head = [linkIn(packet), deviceOf(packet), directionOf(packet), texts.protocols[protocol], time];
  return (
    <div class="packet">
      <h3>
        {number}. {summary}
      </h3>
      <p class="quiet">{head.filter((part) => part !== '').join(' · ')}</p>
      <Readings
        of={[
          ...parts.map(({ name, value }) => [name, value] as const),
          [texts.bytes, hex.replaceAll(/../g, '$& ')],
        ]}
      />
    </div>
  );
};

interface ChoiceProps {
  readonly label: string;
  readonly of: keyof typeof filter.value;
  readonly values: readonly string[];
  /** Labels of values; a value itself by default. */
  readonly names: Readonly<Record<string, string>>;
}

const Choice = ({ label, of, values, names }: ChoiceProps) => (
  <Select
    label={label}
    value={filter.value[of]}
    values={values}
    choose={(value) => (filter.value = { ...filter.value, [of]: value })}
    nameOf={(value) => names[value] ?? value}
  />
);

const Packets = () => {
  const isPaused = useSignal(false);
  useEffect(() => (isPaused.value ? undefined : follow()), [isPaused.value]);
  const [all, shown] = [packets.value.length, shownPackets.value.length];
  return (
    <>
      <div class="do filters">
        <Choice
          label={texts.of}
          of="device"
          values={['', ...inOrder.value.map(({ address }) => address)]}
          names={{
            '': texts.anyDevice,
            ...Object.fromEntries(inOrder.value.map((device) => [device.address, labelOf(device)])),
          }}
        />
        <label>
          <span>{texts.find}</span>
          <input
            type="search"
            placeholder={texts.findHint}
            value={filter.value.text}
            onInput={({ currentTarget: { value } }) => (filter.value = { ...filter.value, text: value })}
          />
        </label>
        <Choice
          label={texts.protocol}
          of="protocol"
          values={['', ...Object.keys(texts.protocols)]}
          names={{ '': texts.anyProtocol, ...texts.protocols }}
        />
        <Choice
          label={texts.controller}
          of="controller"
          values={[HOSTS, '', ...controllers.value]}
          names={{ [HOSTS]: texts.ofHosts, '': texts.anyController }}
        />
        <button type="button" onClick={() => (isPaused.value = !isPaused.value)}>
          {isPaused.value ? texts.resume : texts.pause}
        </button>
        <button type="button" onClick={clear}>
          {texts.clear}
        </button>
        <p class="quiet">{texts.shown(shown, all)}</p>
      </div>
      {dropped.value > 0 ? (
        <p class="notice" role="status">
          {texts.dropped(dropped.value)}
        </p>
      ) : null}
      {shown > 0 ? (
        <div>
          <Head />
          <List />
        </div>
      ) : (
        <p class="empty">{all === 0 ? texts.noPackets : texts.noneOfThese}</p>
      )}
      <Details />
    </>
  );
};

export const Trace = () => {
  const isOpen = useSignal(false);
  return (
    <section class="card" aria-labelledby="trace">
      <h2 id="trace">{texts.trace}</h2>
      <p class="quiet">{texts.traceHint}</p>
      <div class="do">
        <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          {isOpen.value ? texts.hidePackets : texts.showPackets}
        </button>
        <Action label={texts.download} run={saveTrace} />
      </div>
      {isOpen.value ? <Packets /> : null}
    </section>
  );
};
