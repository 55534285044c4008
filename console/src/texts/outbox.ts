import type { ApiResponse } from '../api/types';
import { countOf } from './common';

type Message = ApiResponse<'listOutboxMessages'>['messages'][number];

const messagesOf = (count: number) => (count === 1 ? '1 message' : `${countOf(count)} messages`);

export const outbox = {
  title: 'Outbox',
  intro: 'Messages to workflows and to clients’ endpoints, until they are delivered.',
  summary: 'Messages by kind',
  summaryColumns: { kind: 'Kind', pending: 'Pending', oldest: 'Oldest pending', dead: 'Dead' },
  state: 'State',
  states: { pending: 'Pending', dead: 'Dead' } satisfies Record<Message['state'], string>,
  kind: 'Kind',
  allKinds: 'All kinds',
  kinds: {
    start_workflow: 'Start of a workflow',
    signal_workflow: 'Signal to a workflow',
    notification: 'Notification',
  } satisfies Record<Message['kind'], string>,
  target: 'Target',
  targetPlaceholder: 'Workflow id or endpoint id',
  columns: {
    id: 'Message',
    kind: 'Kind',
    target: 'About',
    attempts: 'Attempts',
    created: 'Created',
    next: 'Next attempt',
    dead: 'Died',
    error: 'Error',
  },
  order: (id: string) => `Order ${id}`,
  shippingOrder: (id: string) => `Shipping order ${id}`,
  procurementOrder: (id: string) => `Procurement order ${id}`,
  endpoint: 'Endpoint of the client',
  name: (id: string) => `message ${id}`,
  messages: messagesOf,
  selected: (count: number | undefined) =>
    count === undefined ? 'Everything that matches is selected' : `${messagesOf(count)} selected`,
  replay: 'Replay',
  replayExplanation:
    'The selected messages are delivered again, with all their attempts. Receivers recognise a message that they already have.',
  replayButton: (count: number | undefined) =>
    count === undefined ? 'Replay everything that matches' : `Replay ${messagesOf(count)}`,
  empty: { pending: 'No message is waiting', dead: 'No message is dead' },
  emptyText: {
    pending: 'A message waits here until it is delivered, and between two attempts.',
    dead: 'A message that used up its attempts, or that its receiver refused for good, appears here.',
  },
} as const;
