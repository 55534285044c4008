import { Modal, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, type LinkProps, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { read } from '../api/queries';
import * as texts from '../texts';
import styles from './go-to.module.css';
import { type Destination, useDestinations } from './navigation';

interface Hit extends Pick<LinkProps, 'to' | 'params' | 'search'> {
  readonly text: string;
}

const t = texts.common.goTo;

/** Hits of a kind that are listed. */
const LISTED = 5;
/** Time without a key after which the API is asked. */
const TYPED_MS = 200;
/** Shorter texts are in too many names. */
const SHORTEST = 3;

const ordersNamed = (text: string) => read('listOperatorOrders', { query: { q: text, limit: LISTED } });
const parcelsNamed = (text: string) => read('listParcels', { query: { q: text, limit: LISTED } });
const productsNamed = (text: string) => read('listCustomerProducts', { query: { search: text, limit: LISTED } });
const models = read('listProductModels', {});
const partners = read('listPartners', {});
const clients = read('listClients', { query: { limit: 250 } });

/** Returns the objects that a text names. Partners, clients and product models are found by a part of their name. */
async function objectsFor(queries: QueryClient, text: string): Promise<readonly Hit[]> {
  if (text.length < SHORTEST) return [];
  const isIn = (name: string) => name.toLowerCase().includes(text.toLowerCase());
  const [found, parcels, products, made, listed, named] = await Promise.all([
    queries.fetchQuery(ordersNamed(text)),
    queries.fetchQuery(parcelsNamed(text)),
    queries.fetchQuery(productsNamed(text)),
    queries.fetchQuery(models),
    queries.fetchQuery(partners),
    queries.fetchQuery(clients),
  ]);
  return [
    ...found.orders.map(({ id, orderReferenceId }) => ({
      to: '/orders/$orderId' as const,
      params: { orderId: id },
      text: t.order(orderReferenceId),
    })),
    // A parcel of an order is on the page of the order.
    ...parcels.parcels
      .filter(({ orderId }) => orderId === null)
      .map(({ trackingNumber }) => ({
        to: '/shipments' as const,
        search: { q: trackingNumber },
        text: t.parcel(trackingNumber),
      })),
    ...listed.partners
      .filter(({ uid, name }) => isIn(uid) || isIn(name))
      .slice(0, LISTED)
      .map(({ id, uid }) => ({ to: '/partners/$partnerId' as const, params: { partnerId: id }, text: t.partner(uid) })),
    ...named.connectors
      .filter(({ name }) => isIn(name))
      .slice(0, LISTED)
      .map(({ id, name }) => ({ to: '/clients/$clientId' as const, params: { clientId: id }, text: t.client(name) })),
    ...made.productModels
      .filter(({ id, name, productUidTemplate }) => isIn(id) || isIn(name) || isIn(productUidTemplate))
      .slice(0, LISTED)
      .map(({ id, name }) => ({ to: '/catalog' as const, search: { model: id }, text: t.model(name) })),
    ...products.customerProducts.map(({ name }) => ({
      to: '/catalog' as const,
      search: { q: name },
      text: t.product(name),
    })),
  ];
}

/** Returns the screens whose name contains a text, the objects that it names, and the search of orders for it. */
function hitsFor(text: string, destinations: readonly Destination[], objects: readonly Hit[]): Hit[] {
  const screens = destinations.filter((hit) => hit.text.toLowerCase().includes(text.toLowerCase()));
  if (text === '') return screens;
  return [...screens, ...objects, { to: '/orders', search: { q: text }, text: t.orders(text) }];
}

/** The dialog that opens a screen by its name, an object by its name or number, or searches orders. */
export function GoTo({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t.title}
      closeButtonProps={{ 'aria-label': texts.common.close }}
      yOffset="12vh"
      centered={false}
    >
      <Hits onClose={onClose} />
    </Modal>
  );
}

function Hits({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const wanted = text.trim();
  const [typed] = useDebouncedValue(wanted, TYPED_MS);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const destinations = useDestinations();
  const { data: objects = [] } = useQuery({
    queryKey: ['goTo', typed],
    queryFn: () => objectsFor(queries, typed),
    refetchInterval: false,
  });
  const hits = hitsFor(wanted, destinations, typed === wanted ? objects : []);
  const openFirst = async (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    // The objects of a text that has just been typed are not known yet. A screen needs none.
    const isScreen = hitsFor(wanted, destinations, []).length > 1 || wanted === '';
    const named = isScreen ? [] : await objectsFor(queries, wanted).catch(() => []);
    const [first] = hitsFor(wanted, destinations, named);
    if (first === undefined) return;
    onClose();
    const { text: _text, ...target } = first;
    void navigate(target);
  };
  return (
    <Stack gap="xs">
      <TextInput
        aria-label={t.field}
        placeholder={t.placeholder}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={openFirst}
        data-autofocus
      />
      {hits.map(({ text: name, ...target }, index) => (
        <Link
          key={JSON.stringify(target)}
          {...target}
          onClick={onClose}
          className={`${styles.hit} ${index === 0 ? styles.first : ''}`}
        >
          {name}
        </Link>
      ))}
    </Stack>
  );
}
