import { type FileFacts, MAX_FACTS, MAX_RANGES, type PageSet } from '../facts';

type Lists = Omit<FileFacts, 'complete' | 'problem' | 'pdf' | 'image'>;
type ListName = keyof Lists;
type Fact<K extends ListName> = Omit<Lists[K][number], 'pages' | 'count'>;

/** A fact that was found on a page. */
export type Note = { [K in ListName]: { readonly list: K; readonly key: string; readonly fact: Fact<K> } }[ListName];

/** Different facts of a kind in one file. A file with more is not measured completely. */
const MAX_DIFFERENT = 5_000;

interface Group {
  fact: object;
  readonly pages: PageList;
  count: number;
}

/** Collects what is found page by page. Equal facts of several pages become one entry. */
export class PageFacts {
  private readonly groups = new Map<string, Map<string, Group>>();
  /** The current page, from 1. */
  page = 0;
  /** True when facts were left out. */
  truncated = false;

  /** Starts the next page. */
  nextPage(): void {
    this.page += 1;
  }

  /** @param page the current page, or one behind that of the last equal fact */
  add({ list, key, fact }: Note, page = this.page): void {
    let groups = this.groups.get(list);
    if (groups === undefined) {
      groups = new Map();
      this.groups.set(list, groups);
    }
    let group = groups.get(key);
    if (group === undefined) {
      if (groups.size >= MAX_DIFFERENT) {
        this.truncated = true;
        return;
      }
      group = { fact, pages: new PageList(), count: 0 };
      groups.set(key, group);
    } else if (list === 'colors') {
      group.fact = withMoreInk(group.fact as Fact<'colors'>, fact);
    }
    group.count += 1;
    group.pages.add(page);
  }

  /** Returns the lists, the entries that matter most for print first. */
  lists(): Lists {
    const boxes = this.entries('boxes');
    if (boxes.length > MAX_FACTS) this.truncated = true;
    return {
      boxes: boxes.slice(0, MAX_FACTS),
      images: this.entries('images')
        .sort((a, b) => a.dpi - b.dpi)
        .slice(0, MAX_FACTS),
      damagedImages: this.entries('damagedImages').slice(0, MAX_FACTS),
      colors: this.entries('colors').slice(0, MAX_FACTS),
      fonts: this.entries('fonts')
        .sort((a, b) => Number(a.embedded) - Number(b.embedded))
        .slice(0, MAX_FACTS),
      effects: this.entries('effects'),
      annotations: this.entries('annotations').slice(0, MAX_FACTS),
    };
  }

  private entries<K extends ListName>(list: K): Lists[K] {
    const groups = [...(this.groups.get(list)?.values() ?? [])];
    return groups.map(({ fact, pages, count }) => ({
      pages: pages.view(),
      ...(list === 'images' ? { count } : {}),
      ...fact,
    })) as Lists[K];
  }
}

function withMoreInk(known: Fact<'colors'>, found: Fact<'colors'>): Fact<'colors'> {
  const more = (found.maxInkPercent ?? -1) > (known.maxInkPercent ?? -1);
  return more ? found : known;
}

/** Page numbers in ascending order, as ranges. */
class PageList {
  private readonly ranges: { from: number; to: number }[] = [];
  private count = 0;
  private last = 0;

  add(page: number): void {
    if (page === this.last) return;
    const range = this.ranges.at(-1);
    if (range !== undefined && range.to === page - 1) range.to = page;
    else if (this.ranges.length < MAX_RANGES) this.ranges.push({ from: page, to: page });
    this.count += 1;
    this.last = page;
  }

  view(): PageSet {
    return { count: this.count, ranges: this.ranges };
  }
}
