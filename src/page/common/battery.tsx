/** A battery, filled to its level; a question mark if it is not known. */
export const BatteryPicture = ({ level }: { readonly level: number | null }) => (
  <svg viewBox="0 0 26 12" aria-hidden="true">
    <rect class="case" x="0.75" y="0.75" width="21.5" height="10.5" rx="2" />
    {level === null ? (
      <text x="11.5" y="9.5">
        ?
      </text>
    ) : (
      <rect class="charge" x="2.5" y="2.5" width={(level / 100) * 18} height="7" />
    )}
    <rect class="charge" x="23" y="4" width="2.5" height="4" />
  </svg>
);
