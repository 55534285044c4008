import { z } from 'zod';

/** The dot-atom before the @ (RFC 5322, 3.4.1). */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** The domain as it is written: labels in letters of any script (RFC 5890). */
const DOMAIN = /^[a-z0-9\P{ASCII}-]+(?:\.[a-z0-9\P{ASCII}-]+)+$/iu;
/** A name of hosts in ASCII. Its last label has a letter: otherwise it is an IP address. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const domainOf = (address: string) => address.slice(address.indexOf('@') + 1);
const hostOf = (address: string) => URL.parse(`http://${domainOf(address)}`)?.hostname ?? '';

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
    const at = address.indexOf('@');
    const isForm = LOCAL.test(address.slice(0, Math.max(at, 0))) && DOMAIN.test(domainOf(address));
    if (!isForm) return report('Not an e-mail address.');
    if (at > LOCAL_PART) report(`At most ${LOCAL_PART} characters before the @.`);
    const isDomain = HOST.test(hostOf(address)) && asciiEmail(address).length <= LONGEST;
    if (!isDomain) report('The part after the @ is not a domain, or too long.');
  });

/** Returns an e-mail address with its domain in punycode (RFC 3492), as mail servers, partners and carriers take it. */
export function asciiEmail(address: string): string {
  return /[^ -~]/.test(address) ? `${address.slice(0, address.indexOf('@'))}@${hostOf(address)}` : address;
}
