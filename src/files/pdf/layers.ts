import type { PdfDict, PdfObject } from '@libpdf/core';
import { type FileFacts, MAX_FACTS } from '../domain/file-facts';
import type { PdfFile } from './pdf-file';

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
