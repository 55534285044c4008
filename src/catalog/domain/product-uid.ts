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

/** The texts that an attribute accepts. */
export interface AcceptedValues {
  /** Returns true when the text is the id of an ordinary value. */
  has(valueId: string): boolean;
  /** True when the attribute also accepts custom input. */
  readonly custom: boolean;
}

export type UidMatch =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  /** `attributeId` is the attribute that has no matching value, or null when the fixed text differs. */
  | { readonly ok: false; readonly attributeId: string | null };

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
  accepted: (attributeId: string) => AcceptedValues,
): UidMatch {
  if (uid.length > MAX_UID_LENGTH || !uid.startsWith(template.prefix)) return { ok: false, attributeId: null };
  const { segments } = template;
  const deadEnds = new Set<number>();
  let furthest = 0;

  const matchFrom = (at: number, start: number): Record<string, string> | undefined => {
    const segment = segments[at];
    if (segment === undefined) return start === uid.length ? {} : undefined;
    if ('literal' in segment) {
      return uid.startsWith(segment.literal, start) ? matchFrom(at + 1, start + segment.literal.length) : undefined;
    }
    const deadEnd = at * (MAX_UID_LENGTH + 1) + start;
    if (deadEnds.has(deadEnd)) return undefined;
    furthest = Math.max(furthest, at);
    const next = segments[at + 1];
    const stop = next !== undefined && 'literal' in next ? next.literal : undefined;
    const ends: number[] = [];
    if (stop === undefined) {
      ends.push(uid.length);
    } else {
      for (let end = uid.indexOf(stop, start + 1); end !== -1; end = uid.indexOf(stop, end + 1)) ends.push(end);
    }
    const values = accepted(segment.attributeId);
    for (const fits of [(text: string) => values.has(text), (text: string) => values.custom && isCustomInput(text)]) {
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
  return { ok: false, attributeId: stuck !== undefined && 'attributeId' in stuck ? stuck.attributeId : null };
}
