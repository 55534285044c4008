import { asciiEmail, emailAddress } from '../../../../src/platform/domain/email';

test.each([
  ['info@müller.example', 'info@xn--mller-kva.example'],
  ['p@пример.рф', 'p@xn--e1afmkfd.xn--p1ai'],
  ['user@xn--mller-kva.example', 'user@xn--mller-kva.example'],
  ["first=last+o'hara@Example.co.uk", "first=last+o'hara@Example.co.uk"],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
])('%s is an e-mail address, and %s in ASCII', (address, ascii) => {
  expect(emailAddress.safeParse(address).success).toBe(true);
  expect(asciiEmail(address)).toBe(ascii);
});

test.each([
  ...['a..b@example.com', '.a@example.com', 'müller@example.com', '"a b"@example.com', 'a@b@example.com'],
  ...['a@exam/ple.com', 'a@exa_mple.com', 'a@-example.com', 'a@1.2.3.4', 'a@[1.2.3.4]', 'a@ex\u00a0ample.com'],
  ...[`${'a'.repeat(65)}@example.com`, `a@${'ü'.repeat(60)}.de`, `a@${`${'ü'.repeat(40)}.`.repeat(6)}de`],
])('%s is none', (address) => {
  expect(emailAddress.safeParse(address).success).toBe(false);
});
