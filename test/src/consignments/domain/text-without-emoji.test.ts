import { withoutEmoji } from '../../../../src/carriers/easypost/parameters';

test.each([
  ['Anna \u{1F389} Maria', 'Anna Maria'],
  ['\u{1F469}\u{200D}\u{1F3A8}\u{1F3FD} Ann', 'Ann'],
  ['1\u{FE0F}\u{20E3} Main\u0007 Street \u{1F1E9}\u{1F1EA}', '1 Main Street'],
  ['Prints™ & Co  ©', 'Prints™ & Co  ©'],
  ['東京都 #8*', '東京都 #8*'],
  ['\u{1F389}', ''],
])('%j is %j for a gateway', (text, expected) => {
  expect(withoutEmoji(text)).toBe(expected);
});
