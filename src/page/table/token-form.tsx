/** Where people give the token that the server asks for. */
import { useSignal } from '@preact/signals';
import { texts } from '../texts.js';
import { useToken } from './server.js';

export const TokenForm = () => {
  const given = useSignal('');
  const isRefused = useSignal(false);
  const show = async (): Promise<void> => {
    isRefused.value = false;
    await useToken(given.value.trim());
    // The form is gone if it was the right one.
    isRefused.value = true;
  };
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        void show();
      }}
    >
      <label>
        {texts.tokenLabel}
        <input
          type="password"
          autocomplete="current-password"
          required
          aria-describedby="token-hint"
          value={given.value}
          onInput={(event) => (given.value = event.currentTarget.value)}
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
