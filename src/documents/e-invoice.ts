import { minorDigits } from '../platform/domain/money';
import type { Seller } from '../platform/domain/seller';

/**
 * Electronic invoices of EN 16931: UBL 2.1 for Peppol BIS Billing 3.0, and UN/CEFACT CII for ZUGFeRD and Factur-X. Not
 * @e-invoice-eu/core 2.3.4: it brings a spreadsheet reader and a second PDF library for these 200 lines.
 * `tools/e-invoices` validates them with the official rules.
 */

export type InvoiceParty = Pick<Seller, 'name' | 'country'> & { readonly [K in keyof Seller]?: Seller[K] | undefined };

/** VAT categories of UNCL 5305. */
export type VatCategory = 'S' | 'Z' | 'G' | 'AE';

/** An invoice. Amounts are integer minor units, and positive on a credit note. */
export interface EInvoice {
  readonly number: string;
  readonly isCreditNote: boolean;
  /** Days, YYYY-MM-DD. */
  readonly issued: string;
  readonly due: string;
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly seller: Seller;
  readonly buyer: InvoiceParty;
  readonly buyerReference: string;
  /** The statement before, to which a credit note refers. */
  readonly precedingNumber: string | null;
  /** `netMinor` is negative for what the other lines are reduced by. */
  readonly lines: readonly {
    readonly name: string;
    readonly netMinor: number;
    readonly category: VatCategory;
    /** Decimal fraction. */
    readonly rate: number;
  }[];
  readonly taxes: readonly {
    readonly category: VatCategory;
    readonly rate: number;
    readonly netMinor: number;
    readonly taxMinor: number;
  }[];
}

/** Why no VAT is charged: code of the list VATEX, and text. */
const EXEMPTIONS: Readonly<Partial<Record<VatCategory, readonly [code: string, reason: string]>>> = {
  G: ['VATEX-EU-G', 'Export of goods'],
  AE: ['VATEX-EU-AE', 'Reverse charge'],
};

/** Largest difference of a VAT amount from its rate that EN 16931 allows (BR-CO-17), in units of the currency. */
const MOST_ROUNDING = 1;

/**
 * Returns what an invoice lacks to be electronic. Empty: nothing.
 * @param isPeppol true for UBL, which needs electronic addresses
 */
export function missingFor({ seller, buyer, taxes, currency }: EInvoice, isPeppol: boolean): string[] {
  const most = MOST_ROUNDING * 10 ** minorDigits(currency);
  const isReverse = taxes.some(({ category }) => category === 'AE');
  return [
    ...(buyer.country === '' ? ['The billing entity of the client has no `countryIsoCode`.'] : []),
    ...(isReverse && buyer.vatNumber === undefined
      ? ['The billing entity has no VAT number, which reverse charge needs.']
      : []),
    ...(isPeppol && seller.electronicAddress === undefined ? ['SELLER has no `electronicAddress`.'] : []),
    ...(isPeppol && buyer.electronicAddress === undefined ? ['The client has no `eInvoice.electronicAddress`.'] : []),
    ...(taxes.some(({ netMinor, taxMinor, rate }) => Math.abs(netMinor * rate - taxMinor) >= most)
      ? ['VAT was rounded on each receipt, and its sum differs from the rate by more than EN 16931 allows.']
      : []),
  ];
}

type Content = string | readonly (Element | null)[];
type Element = readonly [name: string, content: Content | undefined, attributes?: Readonly<Record<string, string>>];

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
// Characters that XML 1.0 does not have are left out.
const escaped = (words: string) =>
  words
    .replace(/[&<>"]/g, (character) => ESCAPED[character]!)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');

/** Returns the text of an element. One without content is left out: the rules of Peppol allow no empty elements. */
function xmlOf([name, content, attributes = {}]: Element): string {
  if (content === undefined || content === '') return '';
  const names = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const inner =
    typeof content === 'string' ? escaped(content) : content.map((each) => (each === null ? '' : xmlOf(each))).join('');
  return `<${name}${names.join('')}>${inner}</${name}>`;
}

const documentOf = (root: Element) => Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${xmlOf(root)}\n`);

const percent = (rate: number) => String(Number((rate * 100).toFixed(4)));

function sumsOf({ taxes, currency }: EInvoice) {
  const digits = minorDigits(currency);
  const show = (minor: number) => (minor / 10 ** digits).toFixed(digits);
  const net = taxes.reduce((sum, { netMinor }) => sum + netMinor, 0);
  const tax = taxes.reduce((sum, { taxMinor }) => sum + taxMinor, 0);
  return { show, net: show(net), tax: show(tax), gross: show(net + tax) };
}

const schemed = (address: string | undefined) => {
  const [scheme = '', ...rest] = (address ?? '').split(':');
  return { scheme, id: rest.join(':') };
};

/** Returns an invoice as UBL 2.1 for Peppol BIS Billing 3.0. */
export function ublOf(invoice: EInvoice): Buffer {
  const { isCreditNote, seller, buyer, currency } = invoice;
  const { show, net, tax, gross } = sumsOf(invoice);
  const inCurrency = { currencyID: currency };
  const root = isCreditNote ? 'CreditNote' : 'Invoice';
  const namespace = 'urn:oasis:names:specification:ubl:schema:xsd:';
  const terms = `${seller.paymentDays} days`;
  return documentOf([
    root,
    [
      ['cbc:CustomizationID', 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0'],
      ['cbc:ProfileID', 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'],
      ['cbc:ID', invoice.number],
      ['cbc:IssueDate', invoice.issued],
      isCreditNote ? null : ['cbc:DueDate', invoice.due],
      [`cbc:${root}TypeCode`, isCreditNote ? '381' : '380'],
      ['cbc:DocumentCurrencyCode', currency],
      ['cbc:BuyerReference', invoice.buyerReference],
      [
        'cac:InvoicePeriod',
        [
          ['cbc:StartDate', invoice.from],
          ['cbc:EndDate', invoice.to],
        ],
      ],
      invoice.precedingNumber === null
        ? null
        : ['cac:BillingReference', [['cac:InvoiceDocumentReference', [['cbc:ID', invoice.precedingNumber]]]]],
      ['cac:AccountingSupplierParty', [ublParty(seller)]],
      ['cac:AccountingCustomerParty', [ublParty(buyer)]],
      [
        'cac:PaymentMeans',
        [
          ['cbc:PaymentMeansCode', '30'],
          isCreditNote ? ['cbc:PaymentDueDate', invoice.due] : null,
          ['cbc:PaymentID', invoice.number],
          [
            'cac:PayeeFinancialAccount',
            [
              ['cbc:ID', seller.iban],
              seller.bic === undefined ? null : ['cac:FinancialInstitutionBranch', [['cbc:ID', seller.bic]]],
            ],
          ],
        ],
      ],
      ['cac:PaymentTerms', [['cbc:Note', terms]]],
      [
        'cac:TaxTotal',
        [
          ['cbc:TaxAmount', tax, inCurrency],
          ...invoice.taxes.map(
            (each): Element => [
              'cac:TaxSubtotal',
              [
                ['cbc:TaxableAmount', show(each.netMinor), inCurrency],
                ['cbc:TaxAmount', show(each.taxMinor), inCurrency],
                ublTax('cac:TaxCategory', each, EXEMPTIONS[each.category]),
              ],
            ],
          ),
        ],
      ],
      [
        'cac:LegalMonetaryTotal',
        [
          ['cbc:LineExtensionAmount', net, inCurrency],
          ['cbc:TaxExclusiveAmount', net, inCurrency],
          ['cbc:TaxInclusiveAmount', gross, inCurrency],
          ['cbc:PayableAmount', gross, inCurrency],
        ],
      ],
      ...invoice.lines.map(
        (line, index): Element => [
          `cac:${root}Line`,
          [
            ['cbc:ID', String(index + 1)],
            [
              isCreditNote ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity',
              unitOf(line.netMinor),
              { unitCode: 'C62' },
            ],
            ['cbc:LineExtensionAmount', show(line.netMinor), inCurrency],
            ['cac:Item', [['cbc:Name', line.name], ublTax('cac:ClassifiedTaxCategory', line)]],
            ['cac:Price', [['cbc:PriceAmount', show(Math.abs(line.netMinor)), inCurrency]]],
          ],
        ],
      ),
    ],
    {
      xmlns: `${namespace}${root}-2`,
      'xmlns:cac': `${namespace}CommonAggregateComponents-2`,
      'xmlns:cbc': `${namespace}CommonBasicComponents-2`,
    },
  ]);
}

/** The quantity of a line: a price is never negative. */
const unitOf = (netMinor: number) => (netMinor < 0 ? '-1' : '1');

const ublTax = (
  name: string,
  { category, rate }: Pick<EInvoice['taxes'][number], 'category' | 'rate'>,
  [code, reason]: readonly [string?, string?] = [],
): Element => [
  name,
  [
    ['cbc:ID', category],
    ['cbc:Percent', percent(rate)],
    ['cbc:TaxExemptionReasonCode', code],
    ['cbc:TaxExemptionReason', reason],
    ['cac:TaxScheme', [['cbc:ID', 'VAT']]],
  ],
];

function ublParty(party: InvoiceParty): Element {
  const { scheme, id } = schemed(party.electronicAddress);
  return [
    'cac:Party',
    [
      ['cbc:EndpointID', id, { schemeID: scheme }],
      ['cac:PartyName', [['cbc:Name', party.name]]],
      [
        'cac:PostalAddress',
        [
          ['cbc:StreetName', party.addressLine1],
          ['cbc:AdditionalStreetName', party.addressLine2],
          ['cbc:CityName', party.city],
          ['cbc:PostalZone', party.postCode],
          ['cac:Country', [['cbc:IdentificationCode', party.country]]],
        ],
      ],
      party.vatNumber === undefined
        ? null
        : [
            'cac:PartyTaxScheme',
            [
              ['cbc:CompanyID', party.vatNumber],
              ['cac:TaxScheme', [['cbc:ID', 'VAT']]],
            ],
          ],
      [
        'cac:PartyLegalEntity',
        [
          ['cbc:RegistrationName', party.name],
          ['cbc:CompanyID', party.companyNumber],
        ],
      ],
      party.email === undefined ? null : ['cac:Contact', [['cbc:ElectronicMail', party.email]]],
    ],
  ];
}

/** Returns an invoice as CII of the profile EN 16931, which ZUGFeRD and Factur-X embed as `factur-x.xml`. */
export function ciiOf(invoice: EInvoice): Buffer {
  const { isCreditNote, seller, currency } = invoice;
  const { show, net, tax, gross } = sumsOf(invoice);
  const day = (name: string, date: string, prefix = 'udt'): Element => [
    name,
    [[`${prefix}:DateTimeString`, date.replaceAll('-', ''), { format: '102' }]],
  ];
  const taxOf = ({ category, rate }: Pick<EInvoice['taxes'][number], 'category' | 'rate'>) => ({
    type: ['ram:TypeCode', 'VAT'] as Element,
    category: ['ram:CategoryCode', category] as Element,
    rate: ['ram:RateApplicablePercent', percent(rate)] as Element,
  });
  const namespace = 'urn:un:unece:uncefact:data:standard:';
  return documentOf([
    'rsm:CrossIndustryInvoice',
    [
      [
        'rsm:ExchangedDocumentContext',
        [['ram:GuidelineSpecifiedDocumentContextParameter', [['ram:ID', 'urn:cen.eu:en16931:2017']]]],
      ],
      [
        'rsm:ExchangedDocument',
        [
          ['ram:ID', invoice.number],
          ['ram:TypeCode', isCreditNote ? '381' : '380'],
          day('ram:IssueDateTime', invoice.issued),
        ],
      ],
      [
        'rsm:SupplyChainTradeTransaction',
        [
          ...invoice.lines.map((line, index): Element => {
            const { type, category, rate } = taxOf(line);
            return [
              'ram:IncludedSupplyChainTradeLineItem',
              [
                ['ram:AssociatedDocumentLineDocument', [['ram:LineID', String(index + 1)]]],
                ['ram:SpecifiedTradeProduct', [['ram:Name', line.name]]],
                [
                  'ram:SpecifiedLineTradeAgreement',
                  [['ram:NetPriceProductTradePrice', [['ram:ChargeAmount', show(Math.abs(line.netMinor))]]]],
                ],
                [
                  'ram:SpecifiedLineTradeDelivery',
                  [['ram:BilledQuantity', unitOf(line.netMinor), { unitCode: 'C62' }]],
                ],
                [
                  'ram:SpecifiedLineTradeSettlement',
                  [
                    ['ram:ApplicableTradeTax', [type, category, rate]],
                    [
                      'ram:SpecifiedTradeSettlementLineMonetarySummation',
                      [['ram:LineTotalAmount', show(line.netMinor)]],
                    ],
                  ],
                ],
              ],
            ];
          }),
          [
            'ram:ApplicableHeaderTradeAgreement',
            [
              ['ram:BuyerReference', invoice.buyerReference],
              ['ram:SellerTradeParty', ciiParty(seller)],
              ['ram:BuyerTradeParty', ciiParty(invoice.buyer)],
            ],
          ],
          ['ram:ApplicableHeaderTradeDelivery', []],
          [
            'ram:ApplicableHeaderTradeSettlement',
            [
              ['ram:PaymentReference', invoice.number],
              ['ram:InvoiceCurrencyCode', currency],
              [
                'ram:SpecifiedTradeSettlementPaymentMeans',
                [
                  ['ram:TypeCode', '30'],
                  ['ram:PayeePartyCreditorFinancialAccount', [['ram:IBANID', seller.iban]]],
                  seller.bic === undefined
                    ? null
                    : ['ram:PayeeSpecifiedCreditorFinancialInstitution', [['ram:BICID', seller.bic]]],
                ],
              ],
              ...invoice.taxes.map((each): Element => {
                const { type, category, rate } = taxOf(each);
                const [code, reason] = EXEMPTIONS[each.category] ?? [];
                return [
                  'ram:ApplicableTradeTax',
                  [
                    ['ram:CalculatedAmount', show(each.taxMinor)],
                    type,
                    ['ram:ExemptionReason', reason],
                    ['ram:BasisAmount', show(each.netMinor)],
                    category,
                    ['ram:ExemptionReasonCode', code],
                    rate,
                  ],
                ];
              }),
              [
                'ram:BillingSpecifiedPeriod',
                [day('ram:StartDateTime', invoice.from), day('ram:EndDateTime', invoice.to)],
              ],
              [
                'ram:SpecifiedTradePaymentTerms',
                [['ram:Description', `${seller.paymentDays} days`], day('ram:DueDateDateTime', invoice.due)],
              ],
              [
                'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
                [
                  ['ram:LineTotalAmount', net],
                  ['ram:TaxBasisTotalAmount', net],
                  ['ram:TaxTotalAmount', tax, { currencyID: currency }],
                  ['ram:GrandTotalAmount', gross],
                  ['ram:DuePayableAmount', gross],
                ],
              ],
              invoice.precedingNumber === null
                ? null
                : ['ram:InvoiceReferencedDocument', [['ram:IssuerAssignedID', invoice.precedingNumber]]],
            ],
          ],
        ],
      ],
    ],
    {
      'xmlns:rsm': `${namespace}CrossIndustryInvoice:100`,
      'xmlns:ram': `${namespace}ReusableAggregateBusinessInformationEntity:100`,
      'xmlns:udt': `${namespace}UnqualifiedDataType:100`,
    },
  ]);
}

function ciiParty(party: InvoiceParty): Element[] {
  const { scheme, id } = schemed(party.electronicAddress);
  return [
    ['ram:Name', party.name],
    party.companyNumber === undefined
      ? ['ram:SpecifiedLegalOrganization', undefined]
      : ['ram:SpecifiedLegalOrganization', [['ram:ID', party.companyNumber]]],
    [
      'ram:PostalTradeAddress',
      [
        ['ram:PostcodeCode', party.postCode],
        ['ram:LineOne', party.addressLine1],
        ['ram:LineTwo', party.addressLine2],
        ['ram:CityName', party.city],
        ['ram:CountryID', party.country],
      ],
    ],
    id === ''
      ? ['ram:URIUniversalCommunication', undefined]
      : ['ram:URIUniversalCommunication', [['ram:URIID', id, { schemeID: scheme }]]],
    party.vatNumber === undefined
      ? ['ram:SpecifiedTaxRegistration', undefined]
      : ['ram:SpecifiedTaxRegistration', [['ram:ID', party.vatNumber, { schemeID: 'VA' }]]],
  ];
}
