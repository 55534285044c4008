/** Longest productUid and longest custom input, in characters. */
export const MAX_UID_LENGTH = 500;
const MAX_CUSTOM_LENGTH = 100;

const CUSTOM_INPUT = /^[A-Za-z0-9._-]+$/;

type Segment = { readonly literal: string } | { readonly attributeId: string };

/** A parsed productUidTemplate: fixed text and placeholders. */
export interface UidTemplate {
  readonly text: string;
  /** The fixed text before the first placeholder. Never empty. */
  readonly prefix: string;
  /** Attributes in the order of the template. */
  readonly attributeIds: readonly string[];
  readonly segments: readonly Segment[];
}

export type TemplateResult =
  | { readonly ok: true; readonly template: UidTemplate }
  | { readonly ok: false; readonly message: string };

/**
 * Parses a template such as `flat_product_pf_{paper_format}_{orientation}`. Refuses a template that does not begin with
 * fixed text, has two placeholders without text between them (their values would be ambiguous), or names an attribute
 * twice.
 */
export function parseTemplate(text: string): TemplateResult {
  const refuse = (message: string): TemplateResult => ({ ok: false, message });
  if (!/^([A-Za-z0-9_.-]|\{[a-z0-9_.-]+\})+$/.test(text)) {
    return refuse('may contain letters, digits, "_", ".", "-" and placeholders such as {paper_format}');
  }
  const segments: Segment[] = [...text.matchAll(/\{([^}]+)\}|[^{]+/g)].map(([literal, attributeId]) =>
    attributeId === undefined ? { literal } : { attributeId },
  );
  const attributeIds = segments.flatMap((segment) => ('attributeId' in segment ? [segment.attributeId] : []));
  const first = segments[0]!;
  if (!('literal' in first)) return refuse('must begin with fixed text');
  if (segments.some((segment, at) => at > 0 && 'attributeId' in segment && 'attributeId' in segments[at - 1]!)) {
    return refuse('needs fixed text between two placeholders');
  }
  if (new Set(attributeIds).size < attributeIds.length) return refuse('names an attribute twice');
  return { ok: true, template: { text, prefix: first.literal, attributeIds, segments } };
}

/** Returns the productUid for the values (attribute id to value id, or to the input of a custom value). */
export function formatUid(template: UidTemplate, values: Readonly<Record<string, string>>): string {
  return template.segments
    .map((segment) => ('literal' in segment ? segment.literal : (values[segment.attributeId] ?? '')))
    .join('');
}

/** The texts that an attribute accepts: ids of ordinary values, and custom input unless `custom` is null. */
export interface AcceptedValues {
  readonly values: { has(valueId: string): boolean };
  readonly custom: object | null;
}

export type UidMatch =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  /**
   * `attributeId` is the attribute that has no matching value, or null when the fixed text differs. `isMissing`: the
   * productUid ends before its value.
   */
  | { readonly ok: false; readonly attributeId: string | null; readonly isMissing: boolean };

/** Returns true when the text can be the input of a custom value. */
export function isCustomInput(text: string): boolean {
  return text.length <= MAX_CUSTOM_LENGTH && CUSTOM_INPUT.test(text);
}

/**
 * Returns the attribute values of a productUid. Value ids may contain the separators of the template, so the match
 * backtracks. It remembers dead ends, which bounds the work by length times placeholders. An ordinary value takes
 * precedence over custom input.
 */
export function matchUid(
  template: UidTemplate,
  uid: string,
  accepted: (attributeId: string) => AcceptedValues | undefined,
): UidMatch {
  if (uid.length > MAX_UID_LENGTH || !uid.startsWith(template.prefix)) {
    return { ok: false, attributeId: null, isMissing: false };
  }
  const { segments } = template;
  const deadEnds = new Set<number>();
  let furthest = 0;
  let isMissing = false;
  const reach = (at: number, missing: boolean) => {
    if (at > furthest) [furthest, isMissing] = [at, missing];
  };

  const matchFrom = (at: number, start: number): Record<string, string> | undefined => {
    const segment = segments[at];
    if (segment === undefined) return start === uid.length ? {} : undefined;
    if ('literal' in segment) {
      return uid.startsWith(segment.literal, start) ? matchFrom(at + 1, start + segment.literal.length) : undefined;
    }
    const deadEnd = at * (MAX_UID_LENGTH + 1) + start;
    if (deadEnds.has(deadEnd)) return undefined;
    reach(at, start === uid.length);
    const next = segments[at + 1];
    const stop = next !== undefined && 'literal' in next ? next.literal : undefined;
    const ends: number[] = [];
    if (stop === undefined) {
      ends.push(uid.length);
    } else {
      for (let end = uid.indexOf(stop, start + 1); end !== -1; end = uid.indexOf(stop, end + 1)) ends.push(end);
    }
    const offered = accepted(segment.attributeId);
    const isOrdinary = (text: string) => offered?.values.has(text) ?? false;
    const isCustom = (text: string) => offered != null && offered.custom !== null && isCustomInput(text);
    // The rest is a value, perhaps with a part of the text after it: the value of the next attribute is missing.
    if (ends.length === 0 && stop !== undefined) {
      for (let cut = 0; cut < stop.length; cut += 1) {
        const text = uid.slice(start, uid.length - cut);
        if (uid.endsWith(stop.slice(0, cut)) && !text.startsWith(stop) && (isOrdinary(text) || isCustom(text))) {
          reach(at + 2, true);
        }
      }
    }
    for (const fits of [isOrdinary, isCustom]) {
      for (const end of ends) {
        const text = uid.slice(start, end);
        if (text === '' || !fits(text)) continue;
        const rest = matchFrom(at + 1, end);
        if (rest !== undefined) return { ...rest, [segment.attributeId]: text };
      }
    }
    deadEnds.add(deadEnd);
    return undefined;
  };

  const values = matchFrom(0, 0);
  if (values !== undefined) return { ok: true, values };
  const stuck = segments[furthest];
  const attributeId = stuck !== undefined && 'attributeId' in stuck ? stuck.attributeId : null;
  return { ok: false, attributeId, isMissing };
}
