/** The known facts of a device, each with its name. */
export const Readings = ({
  of,
  class: name,
}: {
  readonly of: Iterable<readonly [string, string]>;
  readonly class?: string;
}) => (
  <dl class={name}>
    {[...of].map(([label, value], index) => (
      <div key={index}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
