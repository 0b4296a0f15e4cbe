/** Asks for the token of the server. */
import { useSignal } from '@preact/signals';
import { texts } from './texts.js';

export const TokenForm = ({ use }: { readonly use: (token: string) => void }) => {
  const given = useSignal('');
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        use(given.value.trim());
      }}
    >
      <label>
        {texts.tokenLabel}
        <input
          type="password"
          autocomplete="current-password"
          required
          value={given.value}
          onInput={(event) => (given.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        {texts.tokenUse}
      </button>
      <p>{texts.tokenHint}</p>
    </form>
  );
};
