/** Why something failed, beside what asked for it. */
export const Failed = ({ message }: { readonly message: string | undefined }) =>
  message === undefined ? null : (
    <span class="failure" role="alert">
      {message}
    </span>
  );
