import { useQuery } from '@tanstack/react-query';
import { change } from '../../../api/changes';
import { useConnection } from '../../../api/connection';
import { read } from '../../../api/queries';
import type { ApiResponse, Input } from '../../../api/types';
import { DialogForm } from '../../../components/forms/dialog-form';
import { choiceOf, optionsOf, Select } from '../../../components/forms/select';
import { QueryContent } from '../../../components/layout/query-content';
import { moneyOf } from '../../../components/values/money';
import * as texts from '../../../texts';
import { REPAIRS } from '../../../texts/order';
import type { RepairFormProps } from '../types';
import { AddressFields, addressOf } from './address-fields';
import { Effect, Trial } from './units';

type Body = Input<'updateShipment'>['body'];
type Retrieved = ApiResponse<'getOrder'>;

const t = texts.order.shipping;
const TIERS = optionsOf(t.tiers);

/** Changes the address and the method of an order that has not shipped. */
export function ChangeShippingForm({ order, onClose }: RepairFormProps) {
  const query = useQuery(read('getOrder', { params: { orderId: order.id } }));
  return <QueryContent query={query}>{(retrieved) => <Form retrieved={retrieved} onClose={onClose} />}</QueryContent>;
}

/** Returns the change that the form holds. @throws Error when it changes nothing */
function bodyOf(form: FormData, { shippingAddress }: Retrieved): Body {
  const address = addressOf(form, shippingAddress);
  const tier = choiceOf(form, 'method', TIERS);
  if (address === undefined && tier === undefined) throw new Error(t.unchanged);
  return {
    ...(address === undefined ? {} : { shippingAddress: address }),
    ...(tier === undefined ? {} : { shipmentMethodUid: tier }),
  };
}

function Form({ retrieved, onClose }: { readonly retrieved: Retrieved; readonly onClose: () => void }) {
  const params = { orderId: retrieved.id };
  return (
    <DialogForm
      explanation={REPAIRS.change_shipping.explanation}
      button={REPAIRS.change_shipping.button}
      changeOf={({ form, reason }) =>
        change('updateShipment', { params, body: { ...bodyOf(form, retrieved), reason } })
      }
      withReason
      fields={
        <>
          <AddressFields address={retrieved.shippingAddress} />
          <Select
            name="method"
            label={t.method}
            none={t.keep(retrieved.shipment?.shipmentMethodName)}
            options={TIERS}
          />
          <Trial button={t.try}>{(form) => <Price form={form} retrieved={retrieved} />}</Trial>
        </>
      }
      onClose={onClose}
    />
  );
}

/** What an order costs with a change, by a dry run of it. */
function Price({ form, retrieved }: { readonly form: FormData; readonly retrieved: Retrieved }) {
  const { call } = useConnection();
  const query = useQuery({
    queryKey: ['tryShipping', retrieved.id, [...form.entries()]],
    queryFn: () => {
      const body = { ...bodyOf(form, retrieved), reason: t.try, dryRun: true };
      return call('updateShipment', { params: { orderId: retrieved.id }, body });
    },
    refetchInterval: false,
    gcTime: 0,
  });
  return (
    <QueryContent query={query} lines={1}>
      {({ shipment, price: { currency, totalInclVat, differenceInclVat } }) => (
        <Effect>
          {t.effect(
            shipment?.shipmentMethodName ?? '',
            moneyOf(totalInclVat, currency),
            differenceInclVat === null || differenceInclVat === 0 ? null : moneyOf(differenceInclVat, currency),
          )}
        </Effect>
      )}
    </QueryContent>
  );
}
