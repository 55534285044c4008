import type { PostalAddress } from '../../../src/consignments/domain/consignment';

export const BERLIN: PostalAddress = {
  company: 'Druckhaus Spree GmbH',
  firstName: 'Jörg',
  lastName: 'Weiß',
  addressLine1: 'Köpenicker Straße 154a',
  street: 'Köpenicker Straße',
  houseNumber: '154a',
  city: 'Berlin',
  postcode: '10997',
  country: 'DE',
  phone: '+49301234567',
  email: 'versand@druckhaus-spree.example',
};
export const MUNICH: PostalAddress = {
  firstName: 'Anneliese',
  lastName: 'Großmann-Müller',
  addressLine1: 'Sendlinger Straße 8',
  addressLine2: 'Hinterhaus, 3. Stock links',
  street: 'Sendlinger Straße',
  houseNumber: '8',
  city: 'München',
  postcode: '80331',
  country: 'DE',
  phone: '+4989987654',
};
export const CHICAGO: PostalAddress = {
  firstName: 'Maria',
  lastName: 'Gonzalez',
  company: 'Lakeside Frames & Prints LLC',
  addressLine1: '1420 W Fulton Market',
  addressLine2: 'Suite 300',
  city: 'Chicago',
  state: 'IL',
  postcode: '60607-1234',
  country: 'US',
  phone: '+13125550188',
  email: 'maria@example.com',
};
export const TOKYO: PostalAddress = {
  firstName: '太郎',
  lastName: '山田',
  company: '株式会社サンプル印刷',
  addressLine1: '銀座4丁目5番6号 直角ビル８階',
  city: '中央区',
  state: '東京都',
  postcode: '104-0061',
  country: 'JP',
  phone: '+81355550123',
};
export const DUBAI: PostalAddress = {
  firstName: 'أحمد',
  lastName: 'الهاشمي',
  addressLine1: 'شارع الشيخ زايد، برج 12 (الطابق 5)',
  city: 'دبي',
  postcode: '00000',
  country: 'AE',
  phone: '+97145550123',
};
export const ATHENS: PostalAddress = {
  firstName: 'Ελένη',
  lastName: 'Παπαδοπούλου',
  addressLine1: 'Λεωφόρος Βασιλίσσης Σοφίας 12',
  city: 'Αθήνα',
  postcode: '106 74',
  country: 'GR',
};
export const KYIV: PostalAddress = {
  firstName: 'Олександр',
  lastName: 'Шевченко',
  addressLine1: 'вулиця Хрещатик, 22, кв. 7',
  city: 'Київ',
  postcode: '01001',
  country: 'UA',
};
export const SEOUL: PostalAddress = {
  firstName: '민준',
  lastName: '김',
  addressLine1: '강남대로 396, 12층',
  city: '강남구',
  state: '서울특별시',
  postcode: '06232',
  country: 'KR',
};
export const SHANGHAI: PostalAddress = {
  firstName: '伟',
  lastName: '张',
  addressLine1: '南京东路100号 骨干大厦',
  city: '黄浦区',
  state: '上海市',
  postcode: '200001',
  country: 'CN',
};
export const TEL_AVIV: PostalAddress = {
  firstName: 'דוד',
  lastName: 'כהן',
  addressLine1: 'רחוב דיזנגוף 50',
  city: 'תל אביב',
  postcode: '6433222',
  country: 'IL',
};
export const BANGKOK: PostalAddress = {
  firstName: 'สมชาย',
  lastName: 'ใจดี',
  addressLine1: '99 ถนนสุขุมวิท ที่ตั้ง',
  city: 'กรุงเทพ',
  postcode: '10110',
  country: 'TH',
};

/** Returns an address as long as orders store it, of two texts in turn. */
export const longAddress = (one: string, other: string): PostalAddress => {
  const text = (part: string, length: number) => part.repeat(length).slice(0, length);
  return {
    country: 'US',
    firstName: text(one, 100),
    lastName: text(other, 100),
    company: text(other, 255),
    addressLine1: text(one, 255),
    addressLine2: text(other, 255),
    city: text(one, 100),
    state: text(other, 100),
    postcode: '9'.repeat(100),
    phone: '9'.repeat(100),
  };
};
