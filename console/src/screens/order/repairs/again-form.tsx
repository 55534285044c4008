import { Button, Checkbox, Fieldset, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../../api/changes';
import { useConnection } from '../../../api/connection';
import { read } from '../../../api/queries';
import type { ApiResponse, Input } from '../../../api/types';
import { DialogForm } from '../../../components/forms/dialog-form';
import { textOf } from '../../../components/forms/form-values';
import { type ChosenProduct, ProductChoice } from '../../../components/forms/product-choice';
import { choiceOf, optionsOf, Select } from '../../../components/forms/select';
import { QueryContent } from '../../../components/layout/query-content';
import { Link } from '../../../components/values/link';
import { moneyOf } from '../../../components/values/money';
import * as texts from '../../../texts';
import { FileField } from '../files/file-field';
import type { OperatorOrder } from '../types';
import { AddressFields, addressOf } from './address-fields';
import { Effect, nameOf, Trial } from './units';

type Body = Input<'orderAgain'>['body'];
type Retrieved = ApiResponse<'getOrder'>;

const t = texts.order.again;
const TIERS = optionsOf(texts.order.shipping.tiers);

/** The button that makes another order from this one, and its dialog. */
export function OrderAgain({ order }: { readonly order: OperatorOrder }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {t.name}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t.name} withCloseButton={false} size="xl">
        {isOpen ? <AgainForm order={order} onClose={() => setOpen(false)} /> : null}
      </Modal>
    </>
  );
}

interface FormProps {
  readonly order: OperatorOrder;
  readonly onClose: () => void;
}

function AgainForm({ order, onClose }: FormProps) {
  const query = useQuery(read('getOrder', { params: { orderId: order.id } }));
  return (
    <QueryContent query={query}>
      {(retrieved) => <Form order={order} retrieved={retrieved} onClose={onClose} />}
    </QueryContent>
  );
}

const fieldOf = (what: 'quantity' | 'product' | 'file' | 'price', reference: string, type = '') =>
  `${what} ${reference} ${type}`;

/** Returns the order that the form holds. */
function bodyOf(form: FormData, { items, shippingAddress }: Retrieved): Body {
  const named = items.flatMap(({ itemReferenceId, files }) => {
    const quantity = Number(textOf(form, fieldOf('quantity', itemReferenceId)) ?? 0);
    if (quantity === 0) return [];
    const product = textOf(form, fieldOf('product', itemReferenceId));
    const price = textOf(form, fieldOf('price', itemReferenceId));
    const others = (files ?? []).flatMap(({ type, url }) => {
      const other = textOf(form, fieldOf('file', itemReferenceId, type));
      return other === null || other === url ? [] : [{ type, url: other }];
    });
    return [
      {
        itemReferenceId,
        quantity,
        ...(product === null ? {} : (JSON.parse(product) as ChosenProduct)),
        ...(price === null ? {} : { retailPriceInclVat: Number(price) }),
        ...(others.length === 0 ? {} : { files: others }),
      },
    ];
  });
  if (named.length === 0) throw new Error(texts.order.units.none);
  const address = addressOf(form, shippingAddress);
  const tier = choiceOf(form, 'method', TIERS);
  return {
    items: named,
    first: textOf(form, 'first') === 'cancel' ? 'cancel' : 'keep',
    reason: t.name,
    ...(address === undefined ? {} : { shippingAddress: address }),
    ...(tier === undefined ? {} : { shipmentMethodUid: tier }),
  };
}

function Form({ order, retrieved, onClose }: FormProps & { readonly retrieved: Retrieved }) {
  const params = { orderId: order.id };
  const mayCancel = order.possibleRepairs.some(({ action }) => action === 'cancel');
  return (
    <DialogForm
      explanation={t.explanation}
      button={t.button}
      changeOf={({ form, reason }) => change('orderAgain', { params, body: { ...bodyOf(form, retrieved), reason } })}
      withReason
      fields={
        <>
          {retrieved.items.map((item) => (
            <ItemFields key={item.itemReferenceId} order={order} item={item} />
          ))}
          <AddressFields address={retrieved.shippingAddress} />
          <Select
            name="method"
            label={texts.order.shipping.method}
            none={texts.order.shipping.keep(retrieved.shipment?.shipmentMethodName)}
            options={TIERS}
          />
          <Radio.Group
            name="first"
            label={t.first}
            defaultValue="keep"
            {...(mayCancel ? {} : { description: t.notCancelled })}
          >
            <Group mt="xs">
              <Radio value="keep" label={t.keep} />
              <Radio value="cancel" label={t.cancel} disabled={!mayCancel} />
            </Group>
          </Radio.Group>
          <Trial button={t.try}>{(form) => <Price form={form} retrieved={retrieved} />}</Trial>
        </>
      }
      result={({ id, orderReferenceId }) => (
        <Link to="/orders/$orderId" params={{ orderId: id! }} onClick={onClose}>
          {texts.order.reprint.made(orderReferenceId)}
        </Link>
      )}
      onClose={onClose}
    />
  );
}

/** The units of an item, and another product and other files for them. */
function ItemFields({ order, item }: { readonly order: OperatorOrder; readonly item: Retrieved['items'][number] }) {
  const { itemReferenceId, quantity, files } = item;
  const [isOther, setOther] = useState(false);
  const name = nameOf(order.items.find((each) => each.itemReferenceId === itemReferenceId)!);
  return (
    <Fieldset legend={name}>
      <Stack gap="sm">
        <Group align="end">
          <TextInput
            name={fieldOf('quantity', itemReferenceId)}
            type="number"
            min={0}
            w={120}
            label={t.quantity}
            defaultValue={quantity}
          />
          <Checkbox label={t.other} checked={isOther} onChange={(event) => setOther(event.currentTarget.checked)} />
        </Group>
        {isOther ? (
          <>
            <ProductChoice name={fieldOf('product', itemReferenceId)} before={null} />
            <TextInput
              name={fieldOf('price', itemReferenceId)}
              type="number"
              min={0}
              step="any"
              w={220}
              label={t.retailPrice}
              description={t.whenAbroad}
            />
          </>
        ) : null}
        {isOther
          ? files?.map(({ type, url }) => (
              <FileField
                key={type}
                orderId={order.id}
                itemReferenceId={itemReferenceId}
                type={type}
                name={fieldOf('file', itemReferenceId, type)}
                label={texts.order.reprint.file(type, itemReferenceId)}
                url={url}
              />
            ))
          : null}
      </Stack>
    </Fieldset>
  );
}

/** What the new order costs and when it arrives, by a dry run. */
function Price({ form, retrieved }: { readonly form: FormData; readonly retrieved: Retrieved }) {
  const { call } = useConnection();
  const query = useQuery({
    queryKey: ['tryAgain', retrieved.id, [...form.entries()]],
    queryFn: () =>
      call('orderAgain', { params: { orderId: retrieved.id }, body: { ...bodyOf(form, retrieved), dryRun: true } }),
    refetchInterval: false,
    gcTime: 0,
  });
  return (
    <QueryContent query={query} lines={1}>
      {({ quote: { currency, totalInclVat, shippingPrice, quotes } }) => (
        <Effect>
          {t.effect(
            moneyOf(totalInclVat, currency),
            moneyOf(shippingPrice, currency),
            quotes.map(({ shipmentMethods, shipmentMethodUid }) => {
              const method = shipmentMethods.find(({ uid }) => uid === shipmentMethodUid);
              return method === undefined ? '' : `${method.minDeliveryDate} – ${method.maxDeliveryDate}`;
            }),
          )}
        </Effect>
      )}
    </QueryContent>
  );
}
