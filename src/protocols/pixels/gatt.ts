/** The two profiles of dice: `legacy` in firmware up to 2024-11-07, `current` from 2025-01-03 (docs/pixels-protocol.md §1). */

export const PROFILES = ['legacy', 'current'] as const;
export type Profile = (typeof PROFILES)[number];

export interface ProfileIds {
  readonly service: string;
  /** Die to host. */
  readonly notify: string;
  /** Host to die; write and write without response. */
  readonly write: string;
  /** Begins the manufacturer data of advertisements. */
  readonly companyId: number;
}

/** UUIDs lower case without dashes. In the legacy profile the service and its notify characteristic share one. */
export const profileIds: Readonly<Record<Profile, ProfileIds>> = {
  legacy: {
    service: '6e400001b5a3f393e0a9e50e24dcca9e',
    notify: '6e400001b5a3f393e0a9e50e24dcca9e',
    write: '6e400002b5a3f393e0a9e50e24dcca9e',
    companyId: 0xffff,
  },
  current: {
    service: 'a6b900017a5a43f2a962350c8edc9b5b',
    notify: 'a6b900027a5a43f2a962350c8edc9b5b',
    write: 'a6b900037a5a43f2a962350c8edc9b5b',
    companyId: 0x0d39,
  },
};

/** The 16-bit UUID of the service data in advertisements. */
export const SERVICE_DATA_UUID = '180a';
