/** The address of a die by its number. */
export const addressOf = (index: number): string =>
  `D1:CE:00:${[16, 8, 0]
    .map((shift) => ((index >> shift) & 0xff).toString(16).padStart(2, '0'))
    .join(':')}`.toUpperCase();
