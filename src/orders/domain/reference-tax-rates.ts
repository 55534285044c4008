import type { TaxTable } from './vat';

/** Source of the standard rates. */
const STANDARD_SOURCE = 'Standard rates as published by the tax authorities, January 2026';
/** Source of the rates of printed books that are the same in both publications. */
const COMPENDIUM = 'Compendium of Cultural Policies and Trends in Europe 2017, and booksellers’ tables of 2024';

/** Standard rates by country of delivery. */
const STANDARD: Readonly<Record<string, string>> = {
  AE: '0.05',
  AT: '0.20',
  AU: '0.10',
  BE: '0.21',
  BG: '0.20',
  CA: '0.05',
  CH: '0.081',
  CL: '0.19',
  CY: '0.19',
  CZ: '0.21',
  DE: '0.19',
  DK: '0.25',
  EE: '0.24',
  ES: '0.21',
  FI: '0.255',
  FR: '0.20',
  GB: '0.20',
  GR: '0.24',
  HR: '0.25',
  HU: '0.27',
  IE: '0.23',
  IL: '0.18',
  IN: '0.18',
  IS: '0.24',
  IT: '0.22',
  JP: '0.10',
  KR: '0.10',
  LT: '0.21',
  LU: '0.17',
  LV: '0.21',
  MT: '0.18',
  MX: '0.16',
  NL: '0.21',
  NO: '0.25',
  NZ: '0.15',
  PL: '0.23',
  PT: '0.23',
  RO: '0.21',
  SE: '0.25',
  SG: '0.09',
  SI: '0.22',
  SK: '0.23',
  TR: '0.20',
  ZA: '0.15',
};

/** Rates of printed books with their sources. Countries that are not listed charge their standard rate. */
const BOOKS: Readonly<Record<string, readonly [rate: string, source: string]>> = {
  AT: ['0.10', 'UStG § 10 (2), annex 1'],
  BE: ['0.06', COMPENDIUM],
  DE: ['0.07', 'UStG annex 2 no. 49'],
  EE: ['0.09', COMPENDIUM],
  ES: ['0.04', 'LIVA art. 91.Dos'],
  FI: ['0.135', 'Reduced rate since January 2026, which books have'],
  FR: ['0.055', 'CGI art. 278-0 bis'],
  GB: ['0', 'VAT Act 1994 schedule 8 group 3'],
  HR: ['0.05', COMPENDIUM],
  HU: ['0.05', COMPENDIUM],
  IE: ['0', 'VATCA 2010 schedule 2'],
  IT: ['0.04', COMPENDIUM],
  LT: ['0.05', 'Rate of books since January 2026, formerly 9 %'],
  MT: ['0.05', COMPENDIUM],
  NL: ['0.09', 'Wet OB 1968 table I a.30'],
  NO: ['0', 'Norwegian customs, Books. Photo books are no books'],
  PL: ['0.05', COMPENDIUM],
  PT: ['0.06', COMPENDIUM],
  SE: ['0.06', COMPENDIUM],
};

/**
 * Rates of value added tax or goods and services tax by country of delivery, which apply until operators load others
 * (src/orders/planning/tax-rates.ts). Countries that are not listed charge none. The US taxes the retail sale by state,
 * not the production.
 */
export const REFERENCE_TAX_RATES: TaxTable = Object.fromEntries(
  Object.entries(STANDARD).map(([country, standard]) => {
    const books = BOOKS[country]?.[0];
    return [country, books === undefined ? { standard } : { standard, books }];
  }),
);

/** Returns the source of a reference rate. */
export const taxSourceOf = (country: string, category: string): string =>
  (category === 'books' ? BOOKS[country]?.[1] : undefined) ?? STANDARD_SOURCE;
