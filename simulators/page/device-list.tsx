/** The dialogs that add a device and reset the world. */
import { signal, useSignal } from '@preact/signals';
import { goOnAt } from '../../src/page/common/browser.js';
import { connection } from '../../src/page/common/server.js';
import { Checkbox, Dialog, Select } from '../../src/page/common/controls.js';
import { add, reset } from './actions.js';
import { Described } from './described.js';
import { Form, type FormProps } from './form.js';
import { variantsOf } from './schema.js';
import { kinds, rows } from './state.js';
import { texts } from './texts.js';

const openDialog = signal<'add' | 'reset' | null>(null);

const close = (): void => {
  openDialog.value = null;
};

const askForDevice = (): void => {
  openDialog.value = 'add';
};

interface ClosingFormProps extends Pick<FormProps, 'of' | 'label' | 'run'> {
  readonly done?: () => void;
}

/** The form of a dialog; the dialog closes after success. */
const ClosingForm = ({ of, label, run, done }: ClosingFormProps) => (
  <Form
    of={of}
    primary
    label={label}
    run={async (body) => {
      const failure = await run(body);
      if (failure === null) {
        close();
        done?.();
      }
      return failure;
    }}
  >
    <button type="button" onClick={close}>
      {texts.cancel}
    </button>
  </Form>
);

/** Fields that most people leave unchanged. */
const RARE = [
  ...['in_range', 'asleep', 'firmware', 'time', 'token', 'settings_hex'],
  ...['resting', 'alarms', 'settings', 'behaviour'],
];

const isRare = (name: string): boolean => RARE.includes(name) || name.startsWith('advertised_');

/** The choice of a description, beside the kinds. */
const DESCRIBED = 'described';

const added = (): void => goOnAt('chosen');

const NewDevice = () => {
  const kind = useSignal('');
  const showsAll = useSignal(false);
  const { start } = kinds.value.get(kind.value) ?? [...kinds.value.values()][0] ?? {};
  if (start === undefined) return null;
  const isDescribed = kind.value === DESCRIBED;
  const shown = showsAll.value ? start.fields : start.fields.filter(({ name }) => !isRare(name));
  return (
    <>
      <div class="fields">
        <Select
          label={texts.kind}
          value={isDescribed ? DESCRIBED : start.constants['kind']}
          values={[...kinds.value.keys(), DESCRIBED]}
          choose={(name) => (kind.value = name)}
          nameOf={(name) => (name === DESCRIBED ? texts.described : texts.name(name))}
        />
        {isDescribed ? null : (
          <label class="boolean">
            <span>{texts.allFields}</span>
            <Checkbox checked={showsAll.value} change={(checked) => (showsAll.value = checked)} />
          </label>
        )}
      </div>
      {isDescribed ? (
        <Described
          done={() => {
            close();
            added();
          }}
          cancel={close}
        />
      ) : (
        <>
          <p class="quiet">{texts.leftOut}</p>
          <ClosingForm
            key={start.constants['kind']}
            of={{ ...start, fields: shown }}
            label={texts.add}
            run={add}
            done={added}
          />
        </>
      )}
    </>
  );
};

const [SEED = { constants: {}, fields: [] }] = variantsOf(rows.reset.body.schema.input);

const Reset = () => (
  <>
    <p>{texts.resetLoses}</p>
    <p class="quiet">{texts.resetSeed}</p>
    <ClosingForm of={SEED} label={texts.resetNow} run={reset} />
  </>
);

export const DeviceList = () =>
  connection.value === 'open' ? (
    <div class="actions">
      <button type="button" onClick={askForDevice}>
        {texts.addDevice}
      </button>
      <button type="button" onClick={() => (openDialog.value = 'reset')}>
        {texts.reset}
      </button>
      {openDialog.value === 'add' ? (
        <Dialog title={texts.addDevice} closed={close}>
          <NewDevice />
        </Dialog>
      ) : null}
      {openDialog.value === 'reset' ? (
        <Dialog title={texts.resetTitle} closed={close}>
          <Reset />
        </Dialog>
      ) : null}
    </div>
  ) : null;

export const EmptyAir = () => (
  <div class="empty">
    <p>{texts.empty}</p>
    <button id="nobody" type="button" class="primary" onClick={askForDevice}>
      {texts.putIn}
    </button>
  </div>
);
