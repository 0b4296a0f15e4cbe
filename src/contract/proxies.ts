/** Limits of a Bluetooth proxy of ESPHome. */

/** The connections that an ESP32 makes at once, and those of an adapter as a proxy, unless other numbers are given. */
export const USUAL_SLOTS = 3;
export const ADAPTER_SLOTS = 10;
export const MAX_SLOTS = 250;

/**
 * The clients of the API that an ESP32 accepts at once, and the most that ESPHome can be configured for
 * (`esphome/components/api/__init__.py`, `max_connections`).
 */
export const USUAL_CLIENTS = 5;
export const MAX_CLIENTS = 20;

/** The pattern of a proxy's name: a label of a host name, for which the API has room for 31 characters. */
export const PROXY_NAME = '[a-z0-9](?:[a-z0-9-]{0,29}[a-z0-9])?';

/**
 * The client that receives advertisements if several subscribe: the newest, as in ESPHome since 2026.7 (esphome/esphome
 * pull request 17423), or the first, as before, when a proxy refused the others without an answer.
 */
export const ESPHOME_SUBSCRIBERS = ['newest', 'first'] as const;
export type EsphomeSubscriber = (typeof ESPHOME_SUBSCRIBERS)[number];

/** The clients that `airbench proxy` serves: all, each with links of its own, or one as ESPHome does. */
export const SUBSCRIBERS = ['all', ...ESPHOME_SUBSCRIBERS] as const;
export type ProxySubscriber = (typeof SUBSCRIBERS)[number];
