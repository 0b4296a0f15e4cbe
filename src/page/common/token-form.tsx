/** A form for the token that the server requires. */
import { useSignal } from '@preact/signals';
import { detached } from '../../async/defects.js';
import { texts } from './texts.js';

/** `use` resolves when the server has accepted or refused the token. */
export const TokenForm = ({ use }: { readonly use: (token: string) => Promise<void> }) => {
  const token = useSignal('');
  const isRefused = useSignal(false);
  const show = async (): Promise<void> => {
    isRefused.value = false;
    await use(token.value.trim());
    // The right token has removed the form.
    isRefused.value = true;
  };
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        detached(show());
      }}
    >
      <label>
        {texts.tokenLabel}
        <input
          type="password"
          autocomplete="current-password"
          required
          aria-describedby="token-hint"
          value={token.value}
          onInput={(event) => (token.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        {texts.tokenUse}
      </button>
      {isRefused.value ? (
        <p class="failure" role="alert">
          {texts.tokenRefused}
        </p>
      ) : null}
      <p id="token-hint">{texts.tokenHint}</p>
    </form>
  );
};
