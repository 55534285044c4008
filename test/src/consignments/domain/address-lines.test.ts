import { addressLines } from '../../../../src/consignments/domain/address-lines';
import { ATHENS, BERLIN, CHICAGO, SEOUL, SHANGHAI, TOKYO } from '../sample-addresses';

test.each([
  [
    'Germany, with a repeated street',
    BERLIN,
    ['Jörg Weiß', 'Druckhaus Spree GmbH', 'Köpenicker Straße 154a', '10997 Berlin', 'GERMANY'],
  ],
  [
    'the United States',
    CHICAGO,
    [
      'Maria Gonzalez',
      'Lakeside Frames & Prints LLC',
      '1420 W Fulton Market',
      'Suite 300',
      'Chicago IL 60607-1234',
      'UNITED STATES OF AMERICA',
    ],
  ],
  [
    'Germany, without its state',
    { ...BERLIN, state: 'BE' },
    ['Jörg Weiß', 'Druckhaus Spree GmbH', 'Köpenicker Straße 154a', '10997 Berlin', 'GERMANY'],
  ],
  [
    'Italy, with its province',
    { lastName: 'Rossi', addressLine1: 'Via Cavour 1', city: 'Roma', state: 'RM', postcode: '00184', country: 'IT' },
    ['Rossi', 'Via Cavour 1', '00184 Roma RM', 'ITALY'],
  ],
  ['Greece', ATHENS, ['Ελένη Παπαδοπούλου', 'Λεωφόρος Βασιλίσσης Σοφίας 12', '106 74 Αθήνα', 'GREECE']],
  [
    'Japan in Japanese, family name and prefecture first',
    TOKYO,
    ['山田 太郎', '株式会社サンプル印刷', '銀座4丁目5番6号 直角ビル８階', '104-0061', '東京都 中央区', 'JAPAN'],
  ],
  ['Korea in Korean', SEOUL, ['김민준', '강남대로 396, 12층', '06232', '서울특별시 강남구', 'SOUTH KOREA']],
  [
    'China in Chinese',
    SHANGHAI,
    ['张伟', '南京东路100号 骨干大厦', '200001', '上海市 黄浦区', "PEOPLE'S REPUBLIC OF CHINA"],
  ],
  [
    'Japan in Latin letters',
    {
      firstName: 'Taro',
      lastName: 'Yamada',
      addressLine1: '4-5-6 Ginza',
      city: 'Chuo-ku',
      state: 'Tokyo',
      postcode: '104-0061',
      country: 'JP',
    },
    ['Taro Yamada', '4-5-6 Ginza', '104-0061', 'Chuo-ku Tokyo', 'JAPAN'],
  ],
  [
    'Britain, with the post code on its own line',
    {
      firstName: 'Ann',
      lastName: 'Lee',
      addressLine1: '1 Wharf Street',
      city: 'Leeds',
      postcode: 'LS2 7EQ',
      country: 'GB',
    },
    ['Ann Lee', '1 Wharf Street', 'Leeds', 'LS2 7EQ', 'UNITED KINGDOM'],
  ],
  [
    'Australia, with the suburb above the city',
    {
      firstName: 'Jo',
      lastName: 'Park',
      addressLine1: '5 Bay Road',
      suburb: 'Newtown',
      city: 'Sydney',
      state: 'NSW',
      postcode: '2042',
      country: 'AU',
    },
    ['Jo Park', '5 Bay Road', 'Newtown', 'Sydney NSW 2042', 'AUSTRALIA'],
  ],
  [
    'a street and house number that are not in the address lines',
    {
      lastName: 'Klein',
      addressLine1: 'Hinterhaus',
      street: 'Lange Gasse',
      houseNumber: '9',
      city: 'Ulm',
      postcode: '89073',
      country: 'DE',
    },
    ['Klein', 'Lange Gasse 9', 'Hinterhaus', '89073 Ulm', 'GERMANY'],
  ],
])('%s', (_, address, lines) => {
  expect(addressLines(address)).toEqual(lines);
});

test('an address in the sender’s country has no country line', () => {
  expect(addressLines(BERLIN, { from: 'DE' })).not.toContain('GERMANY');
  expect(addressLines(BERLIN, { from: 'US' })).toContain('GERMANY');
});
