import { detailOf, inWords, sentenceOf, storyOf, type TimelineEntry } from '../../client/order-story';

/** What the timeline of an order says. */

let time = 0;
const entry = (of: Pick<TimelineEntry, 'kind' | 'type'> & Partial<TimelineEntry>): TimelineEntry => {
  time += 1;
  return {
    id: `${of.kind}:${time}`,
    at: new Date(time).toISOString(),
    printOrderId: null,
    by: null,
    data: {},
    ...of,
  };
};
const status = (name: string, at?: string) =>
  entry({ kind: 'event', type: 'status', data: { status: name }, ...(at === undefined ? {} : { at }) });
const postback = (type: string) => entry({ kind: 'postback', type, by: 'inkwerk' });

test('a change of status is left out when a postback, a scan or another event says it', () => {
  const printed = [status('printed'), postback('printed')];
  expect(storyOf([printed])).toEqual([printed[1]]);
  const stopped = entry({ kind: 'event', type: 'print_order_refused', data: { message: 'no paper' } });
  const held = status('manual_handling', stopped.at);
  expect(storyOf([[held, stopped, status('manual_handling')]]).map(({ type }) => type)).toEqual([
    'print_order_refused',
    'status',
  ]);
});

test('the items of an order that change at the same time are one entry', () => {
  const at = new Date(5).toISOString();
  expect(storyOf([[status('passed', at), status('passed', at), status('passed')]])).toHaveLength(2);
});

test('an entry stays when an older page is read, and is not repeated', () => {
  const scan = (message: string) =>
    entry({ kind: 'checkpoint', type: 'in_transit', data: { trackingNumber: 'T1', message } });
  const newer = [scan('left Berlin'), status('printed')];
  const shown = storyOf([newer]);
  expect(shown).toEqual(newer);
  const older = [postback('printed'), scan('left Berlin'), status('printed')];
  expect(storyOf([newer, older])).toEqual([...shown, older[0]]);
});

test('scans of several parcels that say the same are one entry, which names each parcel', () => {
  const scan = (trackingNumber: string, message: string, at?: string) =>
    entry({
      kind: 'checkpoint',
      type: 'delivered',
      by: 'Merlin',
      data: { trackingNumber, message },
      ...(at === undefined ? {} : { at }),
    });
  const entries = [scan('T1', 'door'), scan('T2', 'door'), scan('T3', 'neighbour'), scan('T4', 'door', '1960-01-01')];
  const story = storyOf([entries]);
  expect(story.map(({ data }) => data.trackingNumber)).toEqual(['T1, T2', 'T3', 'T4']);
  expect(sentenceOf(story[0]!, null)).toBe('Merlin reported: delivered');
});

test('notifications and refused requests are left out, unless a notification is dead', () => {
  const dead = entry({ kind: 'notification', type: 'order_status_updated', data: { state: 'dead' } });
  const refused = entry({ kind: 'request', type: 'print_order', data: { outcome: 'refused' } });
  const sent = entry({ kind: 'request', type: 'print_order', data: { outcome: 'accepted' } });
  const delivered = entry({ kind: 'notification', type: 'order_status_updated', data: { state: 'delivered' } });
  expect(storyOf([[delivered, dead, sent, refused]])).toEqual([dead, sent]);
});

test('a sentence says who did what, and its detail is in words', () => {
  const request = entry({
    kind: 'request',
    type: 'print_order',
    by: 'inkwerk',
    data: { outcome: 'refused', status: 422, response: '{"message":"no paper","code":7}' },
  });
  expect([sentenceOf(request, null), detailOf(request)]).toEqual([
    'Print order sent to inkwerk',
    'Refused · 422 · no paper',
  ]);
  expect(sentenceOf(status('canceled'), null)).toBe('Now cancelled');
  expect(sentenceOf(entry({ kind: 'event', type: 'print_order_refused' }), 'inkwerk')).toBe(
    'Print order refused: inkwerk',
  );
  const repair = entry({ kind: 'repair', type: 'order.change_address', by: 'Ada', data: { reason: 'moved' } });
  expect([sentenceOf(repair, null), detailOf(repair)]).toEqual(['Order change address by Ada', 'moved']);
  expect(inWords('constructor')).toBe('Constructor');
});
