import { z } from 'zod';

const WORD = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '(?:[A-Za-z0-9-]|[^\\x00-\\x7f])+';
/** A dot-atom, @ and a domain (RFC 5322, 3.4.1), which may have letters of any script (RFC 5890). */
const FORM = new RegExp(`^${WORD}(?:\\.${WORD})*@${LABEL}(?:\\.${LABEL})+$`);
/** A name of hosts in ASCII. Its last label has a letter: otherwise it is an IP address. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const hostOf = (address: string) => URL.parse(`http://${address.slice(address.indexOf('@') + 1)}`)?.hostname ?? '';

/** Largest number of characters of an address, and of those before its @ (RFC 5321, 4.5.3.1). */
const LONGEST = 254;
const LOCAL_PART = 64;

/** An e-mail address as people write it. The OpenAPI document has no format of it: `email` excludes such domains. */
export const emailAddress = z
  .string()
  .max(LONGEST)
  .superRefine((address, context) => {
    const report = (message: string, code?: string) => context.addIssue({ code: 'custom', message, params: { code } });
    if (address.trim() === '') return report('This field must not be blank.', 'IS_BLANK_ERROR');
    if (!FORM.test(address)) return report('Not an e-mail address.');
    if (address.indexOf('@') > LOCAL_PART) report(`At most ${LOCAL_PART} characters before the @.`);
    const isDomain = HOST.test(hostOf(address)) && asciiEmail(address).length <= LONGEST;
    if (!isDomain) report('The part after the @ is not a domain, or too long.');
  });

/** Returns an e-mail address with its domain in punycode (RFC 3492), as mail servers, partners and carriers take it. */
export function asciiEmail(address: string): string {
  return /[^ -~]/.test(address) ? `${address.slice(0, address.indexOf('@'))}@${hostOf(address)}` : address;
}
