import type { FileFacts } from './file-facts';
import type { Found } from './file-findings';

type PdfFacts = NonNullable<FileFacts['pdf']>;

interface DocumentCheck {
  readonly code: Found['code'];
  readonly wanted: string;
  /** Returns what the file has. Undefined: nothing to say. */
  readonly measured: (pdf: PdfFacts) => string | undefined;
  readonly message: (measured: string) => string;
}

const counted = (count: number, noun: string) =>
  count === 0 ? undefined : `${count} ${noun}${count === 1 ? '' : 's'}`;

const DOCUMENT_CHECKS = [
  {
    code: 'encrypted',
    wanted: 'no encryption',
    measured: ({ encrypted }) => (encrypted ? 'encrypted' : undefined),
    message: () => 'The file is encrypted. A printer may not be able to open it.',
  },
  {
    code: 'javascript',
    wanted: 'no JavaScript',
    measured: ({ javaScript }) => (javaScript ? 'JavaScript' : undefined),
    message: () => 'The file has JavaScript, which has no effect in print.',
  },
  {
    code: 'attachments',
    wanted: 'no attachments',
    measured: ({ attachments }) => counted(attachments, 'attachment'),
    message: (measured) => `The file has ${measured}, which are not printed.`,
  },
  {
    code: 'form_fields',
    wanted: 'no form fields',
    measured: ({ formFields }) => counted(formFields, 'form field'),
    message: (measured) => `The file has ${measured}. They are printed as they are filled in, or not at all.`,
  },
  {
    code: 'hidden_layers',
    wanted: 'visible layers',
    measured: ({ layers }) => {
      const hidden = layers.filter(({ visible }) => !visible).map(({ name }) => name);
      return hidden.length === 0 ? undefined : hidden.join(', ');
    },
    message: (measured) => `Hidden layers are not printed: ${measured}.`,
  },
  {
    code: 'repaired',
    wanted: 'an undamaged file',
    measured: ({ repaired }) => (repaired ? 'damaged' : undefined),
    message: () => 'The structure of the file is damaged. It was repaired for the check; export the file again.',
  },
] as const satisfies readonly DocumentCheck[];

/** Checks a file as a whole. */
export function checkDocument({ complete, problem, pdf }: FileFacts): Found[] {
  const found = pdf === null ? [] : DOCUMENT_CHECKS.flatMap((check) => findingOf(check, pdf));
  if (complete) return found;
  const measured = problem ?? 'not complete';
  return [
    ...found,
    {
      code: 'not_measured',
      severity: 'warning',
      page: null,
      measured,
      wanted: 'a file that can be measured',
      message: `A part of the file could not be checked: ${measured}.`,
    },
  ];
}

function findingOf({ code, wanted, measured, message }: (typeof DOCUMENT_CHECKS)[number], pdf: PdfFacts): Found[] {
  const has = measured(pdf);
  return has === undefined
    ? []
    : [{ code, severity: 'warning', page: null, measured: has, wanted, message: message(has) }];
}
