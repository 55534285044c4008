import type { PdfDict, PdfObject } from '@libpdf/core';
import { type FileFacts, MAX_FACTS } from '../facts';
import { profileOf } from '../icc-profile';
import { decodedBytes, type PdfFile } from './pdf-file';

type DocumentFacts = NonNullable<FileFacts['pdf']>;

/** Nodes of a tree of names, fields or actions that are looked at. */
const MAX_NODES = 10_000;
/** XMP metadata that is searched, in bytes. The claims of standards stand at its start. */
const MAX_METADATA = 1024 * 1024;
const MAX_STANDARDS = 10;

/** Returns what a PDF says about itself as a whole. */
export function documentFacts(file: PdfFile): DocumentFacts {
  const { catalog } = file;
  const names = file.dict(catalog.get('Names'));
  const form = formOf(file);
  return {
    version: versionOf(file),
    standards: standardsOf(file),
    outputIntent: outputIntentOf(file),
    encrypted: file.encrypted,
    repaired: file.repaired,
    javaScript:
      nameTree(file, names?.get('JavaScript')) > 0 ||
      isScript(file, catalog.get('OpenAction')) ||
      hasScripts(file, catalog.get('AA')) ||
      form.javaScript,
    attachments: nameTree(file, names?.get('EmbeddedFiles')),
    formFields: form.fields,
    xfa: form.xfa,
    layers: new Layers(file).view(),
  };
}

/** Returns true for an action that runs JavaScript, also as a later one of a chain (ISO 32000-1, 12.6). */
export function isScript(file: PdfFile, action: PdfObject | undefined, depth = 0): boolean {
  const found = file.dict(action);
  if (found === undefined || depth > 8) return false;
  const type = file.name(found.get('S'));
  if (type === 'JavaScript' || (type === 'Rendition' && found.has('JS'))) return true;
  const next = file.array(found.get('Next'));
  const following = next === undefined ? [found.get('Next')] : [...next].slice(0, 100);
  return following.some((each) => isScript(file, each, depth + 1));
}

/** Returns true when one of the additional actions of an object runs JavaScript. */
export function hasScripts(file: PdfFile, actions: PdfObject | undefined): boolean {
  const found = file.dict(actions);
  return found !== undefined && [...found].some(([, action]) => isScript(file, action));
}

/** The catalog may name a later version than the header. */
function versionOf(file: PdfFile): string {
  const later = file.name(file.catalog.get('Version'));
  return later !== undefined && /^\d\.\d$/.test(later) && later > file.version ? later : file.version;
}

/** Characters of a claim that are kept. */
const MAX_CLAIM = 40;
/** The value after the name of an XMP property, which is an element or an attribute. */
const XMP_VALUE = /^\s*(?:>|=\s*["'])([^<"']+)/;

function standardsOf(file: PdfFile): string[] {
  const metadata = file.stream(file.catalog.get('Metadata'));
  const xmp =
    metadata === undefined ? '' : Buffer.from(decodedBytes(file, metadata).subarray(0, MAX_METADATA)).toString('utf8');
  const property = (name: string) => {
    const at = xmp.indexOf(name);
    return at === -1
      ? undefined
      : XMP_VALUE.exec(xmp.slice(at + name.length))?.[1]
          ?.trim()
          .slice(0, MAX_CLAIM);
  };
  const [part, conformance] = [property('pdfaid:part'), property('pdfaid:conformance')];
  const claims = [
    file.text(file.info?.get('GTS_PDFXVersion')),
    property('pdfxid:GTS_PDFXVersion'),
    property('pdfx:GTS_PDFXVersion'),
    part && `PDF/A-${part}${conformance?.toLowerCase() ?? ''}`,
  ];
  return [...new Set(claims.flatMap((claim) => claim || []))].slice(0, MAX_STANDARDS);
}

function outputIntentOf(file: PdfFile): string | null {
  const intents = [...(file.array(file.catalog.get('OutputIntents')) ?? [])].flatMap((each) => file.dict(each) ?? []);
  const intent = intents.find((each) => file.name(each.get('S')) === 'GTS_PDFX') ?? intents[0];
  if (intent === undefined) return null;
  const texts = ['OutputConditionIdentifier', 'OutputCondition', 'Info'].map((key) => file.text(intent.get(key)));
  // Conditions that no registry has are named by their profile.
  const named = texts.find((text) => text && text !== 'Custom');
  if (named !== undefined) return named;
  const profile = file.stream(intent.get('DestOutputProfile'));
  return (profile && profileOf(decodedBytes(file, profile))?.description) ?? 'unnamed';
}

/** Returns the number of entries of a name tree (7.9.6). */
function nameTree(file: PdfFile, root: PdfObject | undefined): number {
  return sumOfTree(file, [root], (node) => Math.floor((file.array(node.get('Names'))?.length ?? 0) / 2));
}

/**
 * Returns the number of fields of a form (12.7.3), whether one of them has a script, and whether it is a form of XFA. A field
 * whose kids have names is a group of fields.
 */
function formOf(file: PdfFile): { readonly fields: number; readonly javaScript: boolean; readonly xfa: boolean } {
  const form = file.dict(file.catalog.get('AcroForm'));
  let javaScript = false;
  const fields = sumOfTree(file, [...(file.array(form?.get('Fields')) ?? [])], (node) => {
    javaScript ||= hasScripts(file, node.get('AA'));
    const isGroup = [...(file.array(node.get('Kids')) ?? [])].some((kid) => file.dict(kid)?.has('T') === true);
    return node.has('T') && !isGroup ? 1 : 0;
  });
  return { fields, javaScript, xfa: form?.has('XFA') === true };
}

/** Adds up a value of the nodes of trees, at most MAX_NODES of them. */
function sumOfTree(file: PdfFile, roots: readonly (PdfObject | undefined)[], weigh: (node: PdfDict) => number): number {
  const seen = new Set<PdfDict>();
  const waiting = roots.slice(0, MAX_NODES);
  let total = 0;
  while (waiting.length > 0 && seen.size < MAX_NODES) {
    const node = file.dict(waiting.pop());
    if (node === undefined || seen.has(node)) continue;
    seen.add(node);
    total += weigh(node);
    for (const kid of [...(file.array(node.get('Kids')) ?? [])].slice(0, MAX_NODES)) waiting.push(kid);
  }
  return total;
}

/** The layers of a file (optional content, ISO 32000-1, 8.11), with their visibility when the file is opened. */
export class Layers {
  private readonly groups: readonly PdfDict[];
  private readonly hidden: ReadonlySet<PdfDict>;

  constructor(private readonly file: PdfFile) {
    const properties = file.dict(file.catalog.get('OCProperties'));
    const defaults = file.dict(properties?.get('D'));
    const dicts = (object: PdfObject | undefined) =>
      [...(file.array(object) ?? [])].flatMap((each) => file.dict(each) ?? []);
    this.groups = dicts(properties?.get('OCGs'));
    const isOffByDefault = file.name(defaults?.get('BaseState')) === 'OFF';
    const hidden = new Set(isOffByDefault ? this.groups : []);
    for (const group of dicts(defaults?.get('ON'))) hidden.delete(group);
    for (const group of dicts(defaults?.get('OFF'))) hidden.add(group);
    this.hidden = hidden;
  }

  /** @param object a layer, or a rule about several layers */
  isHidden(object: PdfObject | undefined): boolean {
    const found = this.file.dict(object);
    if (found === undefined || this.groups.length === 0) return false;
    if (this.file.name(found.get('Type')) !== 'OCMD') return this.hidden.has(found);
    const single = this.file.dict(found.get('OCGs'));
    const members = single
      ? [single]
      : [...(this.file.array(found.get('OCGs')) ?? [])].map((each) => this.file.dict(each));
    if (members.length === 0) return false;
    const isHidden = (group: PdfDict | undefined) => group !== undefined && this.hidden.has(group);
    switch (this.file.name(found.get('P'))) {
      case 'AllOn':
        return members.some(isHidden);
      case 'AnyOff':
        return !members.some(isHidden);
      case 'AllOff':
        return !members.every(isHidden);
      default:
        return members.every(isHidden);
    }
  }

  view(): NonNullable<FileFacts['pdf']>['layers'] {
    return this.groups.slice(0, MAX_FACTS).map((group) => ({
      name: this.file.text(group.get('Name')) ?? '',
      visible: !this.hidden.has(group),
    }));
  }
}
