import type { Operations } from './operations';

/** What the timeline of an order says, in sentences: the console and the command `story` show it. */

export type TimelineEntry = Operations['getOrderTimeline']['response']['entries'][number];
export type TimelineKind = TimelineEntry['kind'];

/** Codes that are not written as their words. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['canceled', 'Cancelled'],
  ['unbuildable', 'Cannot be built'],
]);

/** Returns a code as words: `order_submitted` becomes `Order submitted`. */
export function inWords(code: string): string {
  const words = NAMES.get(code) ?? code.replaceAll(/[_.]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const inLowerCase = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);

const SENTENCES: Readonly<Record<TimelineKind, (what: string, by: string | null) => string>> = {
  event: (what, partner) => (partner === null ? what : `${what}: ${partner}`),
  repair: (what, by) => (by === null ? what : `${what} by ${by}`),
  postback: (what, by) => `${by ?? 'The partner'} reported: ${inLowerCase(what)}`,
  request: (what, by) => `${what} sent to ${by ?? 'the partner'}`,
  checkpoint: (what, by) => `${by ?? 'The carrier'} reported: ${inLowerCase(what)}`,
  notification: (what) => `${what} sent to the client`,
};

/**
 * Returns who did what, or what was sent to whom.
 * @param partnerUid of the print order that the entry is about
 */
export function sentenceOf({ kind, type, by, data }: TimelineEntry, partnerUid: string | null): string {
  const what = type === 'status' ? `Now ${inLowerCase(inWords(String(data.status)))}` : inWords(type);
  return SENTENCES[kind](what, kind === 'event' ? partnerUid : by);
}

/** The fields of an entry's content that say more. */
const DETAILS: Readonly<Record<TimelineKind, readonly string[]>> = {
  event: [],
  repair: ['reason', 'message'],
  postback: ['message', 'trackingCode'],
  request: ['outcome', 'status', 'response'],
  checkpoint: ['trackingNumber', 'message', 'location'],
  notification: ['state', 'url'],
};

/** Fields with a code, which is shown in words. */
const CODES: ReadonlySet<string> = new Set(['status', 'state', 'outcome']);

/** Returns the message of a response in JSON, or the response itself. */
function messageIn(response: string): string {
  try {
    const { message } = JSON.parse(response) as { readonly message?: unknown };
    return typeof message === 'string' ? message : response;
  } catch {
    return response;
  }
}

/** Returns the words of an event: of a partner, of a host, or of the order run. */
function wordsOf({ message, reason, why }: TimelineEntry['data']): string {
  const words = message ?? reason ?? why;
  return typeof words === 'string' ? words : '';
}

/** Returns what an entry says beside its type, by the fields that its kind has. */
export function detailOf({ kind, data }: TimelineEntry): string {
  if (kind === 'event') return wordsOf(data);
  return DETAILS[kind]
    .map((name) => {
      const value = data[name];
      if (typeof value === 'string' && CODES.has(name)) return inWords(value);
      if (typeof value === 'string' && name === 'response') return messageIn(value);
      return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    })
    .filter((text) => text !== '')
    .join(' · ');
}

/** The postbacks and scans that say the same as a change of status. */
const SAID_BY: Readonly<Record<string, string>> = {
  in_production: 'received',
  printed: 'printed',
  shipped: 'shipped',
  in_transit: 'in_transit',
  delivered: 'delivered',
  returned: 'returned',
};

/** Statuses that an event brings which says why. */
const STOPPED: ReadonlySet<string> = new Set(['manual_handling', 'on_hold', 'failed']);

/**
 * Returns the entries without those that repeat another one: the log's entries of what is sent, scanned or refused;
 * notifications, which follow from changes, unless one is dead; changes of status that a postback, a scan or another event has
 * brought; and scans that a carrier reports again. An entry is left out for entries of its page and of newer ones only: it stays
 * when an older page is read.
 * @param pages of the timeline, newest first
 */
export function storyOf(pages: readonly (readonly TimelineEntry[])[]): TimelineEntry[] {
  const said = new Set<string>();
  const explained = new Set<string>();
  const seen = new Set<string>();
  const stories = pages.map((entries) => {
    for (const { kind, type, at, data } of entries) {
      if (kind === 'postback' || kind === 'checkpoint') said.add(type);
      if (kind === 'event' && wordsOf(data) !== '') explained.add(at);
    }
    return entries.filter(({ kind, type, at, data }) => {
      if (kind === 'notification') return data.state === 'dead';
      if (kind === 'request') return data.outcome !== 'refused';
      if (kind === 'event' && (type.startsWith('tracking_') || type === 'handed_over')) return false;
      if (kind !== 'checkpoint' && (kind !== 'event' || type !== 'status')) return true;
      const status = String(data.status);
      // The items of an order change at the same time.
      const name = kind === 'checkpoint' ? `${type} ${data.trackingNumber} ${data.message}` : `${status} ${at}`;
      const isSaid =
        kind === 'event' && (said.has(SAID_BY[status] ?? '') || (STOPPED.has(status) && explained.has(at)));
      if (isSaid || seen.has(name)) return false;
      seen.add(name);
      return true;
    });
  });
  return joinedScans(stories.flat());
}

/** Scans of several parcels that say the same within this time are one entry. */
const SAME_SCAN_MS = 60 * 60 * 1_000;

/** Joins the scans that a carrier reports of each parcel of a shipment: the first one names all of them. */
function joinedScans(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const joined: TimelineEntry[] = [];
  for (const entry of entries) {
    const { kind, type, by, at, data } = entry;
    const index = joined.findIndex(
      (other) =>
        kind === 'checkpoint' &&
        [other.kind, other.type, other.by, other.data.message].join() === [kind, type, by, data.message].join() &&
        Date.parse(other.at) - Date.parse(at) < SAME_SCAN_MS,
    );
    const same = joined[index];
    if (same === undefined) joined.push(entry);
    else {
      const trackingNumber = `${same.data.trackingNumber}, ${data.trackingNumber}`;
      joined[index] = { ...same, data: { ...same.data, trackingNumber } };
    }
  }
  return joined;
}
