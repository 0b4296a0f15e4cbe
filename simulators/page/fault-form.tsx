/** The form of a fault: its type, its device and its fields. */
import { useSignal } from '@preact/signals';
import type { Outcome } from '../../src/page/common/api.js';
import { Select } from '../../src/page/common/controls.js';
import { Form } from './form.js';
import type { Body, Variant } from './schema.js';
import { adapters, ALL, inOrder } from './state.js';
import { texts } from './texts.js';

export interface FaultFormProps {
  /** A variant for each `type`, and for each `stage` of a type with stages. */
  readonly variants: readonly Variant[];
  readonly label: string;
  /** `device`: `all`, an address or an adapter. */
  readonly run: (fault: Body, device: string) => Outcome;
}

/** Whether a fault is of an adapter or of a proxy, which has the name of its adapter. */
const isOfAdapters = (type: string): boolean => type === 'adapter_down' || type.startsWith('proxy_');

const constantOf = ({ constants }: Variant, name: string): string => constants[name] ?? '';

export const FaultForm = ({ variants, label, run }: FaultFormProps) => {
  const type = useSignal('link_loss');
  const stage = useSignal('');
  const target = useSignal(ALL);
  const ofType = variants.filter((candidate) => constantOf(candidate, 'type') === type.value);
  const variant = ofType.find((candidate) => constantOf(candidate, 'stage') === stage.value) ?? ofType[0];
  const targets = [
    ...(isOfAdapters(type.value) ? [] : [ALL, ...inOrder.value.map(({ address }) => address)]),
    ...adapters.value.map(({ id }) => id),
  ];
  if (variant === undefined) return null;
  const device = targets.includes(target.value) ? target.value : (targets[0] ?? '');
  const fields = variant.fields.filter(({ name }) => name !== 'device' && name !== 'devices');
  return (
    <div class="fault">
      <div class="fields">
        <Select
          label={texts.type}
          value={type.value}
          values={new Set(variants.map((candidate) => constantOf(candidate, 'type')))}
          choose={(value) => (type.value = value)}
          nameOf={texts.fault}
        />
        {ofType.length > 1 ? (
          <Select
            label={texts.stage}
            value={constantOf(variant, 'stage')}
            values={ofType.map((candidate) => constantOf(candidate, 'stage'))}
            choose={(value) => (stage.value = value)}
            nameOf={texts.fault}
          />
        ) : null}
        <Select
          label={texts.of}
          value={device}
          values={targets}
          choose={(value) => (target.value = value)}
          nameOf={(name) => (name === ALL ? texts.all : name)}
        />
      </div>
      <Form of={{ ...variant, fields }} label={label} run={(fault) => run(fault, device)} />
    </div>
  );
};
