import {
  isArgentine,
  isBelgian,
  isCroatian,
  isCzech,
  isDutch,
  isFrench,
  isHungarian,
  isItalian,
  isMexican,
  isModulo97,
  isNorwegian,
  isPolish,
  isRouting,
  isSpanish,
  isSwissPostal,
} from './account-checks.ts'

/**
 * How accounts are written in one country. A shape is how many digits stand together and what joins
 * them: `6-10/4`, where a space stands for any joint.
 */
export interface Format {
  readonly country: string
  readonly shape: RegExp
  /** Digits without joints; right in every number of the country. */
  readonly check?: (digits: string, groups: readonly string[]) => boolean
  /**
   * With a right check, where there is one: nothing else is written so, or speaking of banks near
   * it is enough.
   */
  readonly says: 'all' | 'with a bank'
}

const any = (shape: string): RegExp =>
  new RegExp(`^(?:${shape.replaceAll(' ', String.raw`[^\d{},]`)})$`)
const dashed = (shape: string): RegExp => new RegExp(`^(?:${shape})$`)

/** A day could be written so: `12-05-24`. */
const isDay = (groups: readonly string[]): boolean => {
  const [first = 0, second = 0, third = 0] = groups.map(Number)
  const inYear = (day: number, month: number): boolean =>
    day > 0 && month > 0 && day <= 31 && month <= 12
  return inYear(first, second) || inYear(second, first) || inYear(third, second)
}

const CZECH_BANKS: ReadonlySet<string> = new Set(
  (
    '0100 0300 0600 0710 0800 2010 2020 2060 2070 2100 2200 2220 2250 2260 2275 2600 2700 3030 3050 3060 3500 ' +
    '4000 4300 5500 5800 6000 6100 6200 6210 6300 6700 6800 7910 7950 7960 7970 7990 8030 8040 8060 8090 8150 ' +
    '8190 8198 8200 8220 8230 8240 8250 8255 8265 0200 0900 0720 1100 1111 3000 3100 5200 5600 5900 6500 7300 ' +
    '7500 7930 8050 8100 8120 8130 8160 8170 8180 8320 8330 8360 8370 8410 8420 8430'
  ).split(' '),
)
const CANADIAN_BANKS =
  /^(?:00[1-6]|010|016|030|039|117|127|177|219|241|260|269|270|29|30|32[068]|338|340|352|374|378|509|540|608|614|62[13]|809|815|819|82[89]|8[34]\d|865|869|879|889|899)/

export const FORMATS: readonly Format[] = [
  {
    country: 'ES',
    shape: any('4 4 2 10|4 4 12|4 4 4 4 4|4 4 2 5 5|8 2 10'),
    check: isSpanish,
    says: 'all',
  },
  { country: 'ES', shape: any('20|4 4 2 10|4 4 4 4 4'), says: 'with a bank' },
  {
    country: 'FR',
    shape: any('23|5 5 11 2|4 4 4 4 4 3|5 5 4 4 3 2'),
    check: isFrench,
    says: 'all',
  },
  { country: 'FR', shape: any('5 5 11 2'), says: 'all' },
  { country: 'BE', shape: dashed('3-7-2'), check: isBelgian, says: 'all' },
  { country: 'BE', shape: any('3 7 2|12|3 4 3 2'), check: isBelgian, says: 'with a bank' },
  {
    country: 'NL',
    shape: any('2 2 2 3|3 3 3|9|4 2 3|4 2 2 2|10'),
    check: isDutch,
    says: 'with a bank',
  },
  { country: 'NO', shape: dashed(String.raw`4\.2\.5`), check: isNorwegian, says: 'all' },
  { country: 'NO', shape: any('4 2 5|11'), check: isNorwegian, says: 'with a bank' },
  { country: 'NO', shape: any('4 2 5'), says: 'with a bank' },
  {
    country: 'CZ',
    shape: dashed('(?:[1-6]-)?[2-9]/4|(?:[1-6]-)?10/4'),
    check: (_, groups) =>
      CZECH_BANKS.has(groups.at(-1) ?? '') &&
      (groups.length > 2 || (groups[0]?.length ?? 0) > 5) &&
      groups.slice(0, -1).every(isCzech),
    says: 'all',
  },
  { country: 'CZ', shape: dashed('(?:[6-9]|10)/4|[1-6]-(?:[2-9]|10)/4'), says: 'with a bank' },
  {
    country: 'PL',
    shape: any('26|2 4 4 4 4 4 4|2 8 16|2 8 4 4 4 4'),
    check: isPolish,
    says: 'all',
  },
  { country: 'PL', shape: any('2 4 4 4 4 4 4|26'), says: 'with a bank' },
  { country: 'HU', shape: any('8 8(?: 8)?|24'), check: isHungarian, says: 'all' },
  { country: 'HU', shape: any('8 8(?: 8)?|24|16'), says: 'with a bank' },
  { country: 'PT', shape: any('21|4 4 11 2|4 4 4 4 4 1'), check: isModulo97, says: 'all' },
  {
    country: 'SI',
    shape: any('5 10|2 3 10|2 3 8 2|5 8 2|4 4 4 3'),
    check: isModulo97,
    says: 'all',
  },
  { country: 'HR', shape: any('7 10|17'), check: isCroatian, says: 'all' },
  { country: 'HR', shape: any('7 10'), says: 'all' },
  {
    country: 'RS',
    shape: any('3 (?:[1-9]|1[0-3]) 2'),
    check: (digits) =>
      digits.length > 12 || isModulo97(digits.slice(0, 3) + digits.slice(3).padStart(15, '0')),
    says: 'with a bank',
  },
  { country: 'RS', shape: any('18|3 13 2'), check: isModulo97, says: 'all' },
  { country: 'BA', shape: any('16|3 3 8 2|4 4 4 4'), check: isModulo97, says: 'with a bank' },
  { country: 'MK', shape: any('15|3 10 2'), check: isModulo97, says: 'with a bank' },
  {
    country: 'SE',
    shape: any('4 (?:[6-9]|10)|4 1 3 3 3|4 2 3 3 1|4 3 3 3 ?1?|5 (?:[7-9]|10)|4 1 10'),
    says: 'with a bank',
  },
  { country: 'DK', shape: any('4 (?:7|10)|4 3 4|4 6 1|4 3 3 4'), says: 'with a bank' },
  { country: 'FI', shape: dashed('6-[2-8]'), says: 'with a bank' },
  { country: 'IS', shape: any('4 2 6|12'), says: 'with a bank' },
  { country: 'CH', shape: dashed('2-[2-6]-1'), check: isSwissPostal, says: 'with a bank' },
  { country: 'CH', shape: any('3 [5-9](?: [1-3])?|4 6 2'), says: 'with a bank' },
  { country: 'GB', shape: any('2 2 2 8'), check: (_, groups) => !isDay(groups), says: 'all' },
  { country: 'GB', shape: any('2 2 2 4 4|2 2 2 [78]|6 8'), says: 'with a bank' },
  {
    country: 'US',
    shape: any('9 (?:[6-9]|1[0-7])'),
    check: (_, [first = '']) => isRouting(first),
    says: 'with a bank',
  },
  {
    country: 'CA',
    shape: any('5 3 (?:[7-9]|1[0-2])'),
    check: (_, [, bank = '']) => CANADIAN_BANKS.test(bank),
    says: 'all',
  },
  {
    country: 'CA',
    shape: any('5 3 (?:[7-9]|1[0-2])|3 5 (?:[7-9]|1[0-2])|5 3 3 3 1|9 (?:[7-9]|1[0-2])|5 4 7'),
    says: 'with a bank',
  },
  {
    country: 'AU',
    shape: any('3 3 (?:[5-9]|10)|3 3 [2-4] [2-4](?: [2-4])?|6 [6-9]'),
    says: 'with a bank',
  },
  {
    country: 'NZ',
    shape: any('2 4 7 [234]'),
    check: (digits) => /^(?:[0-2]\d|3[018])/.test(digits),
    says: 'all',
  },
  {
    country: 'MX',
    shape: any('18|3 3 11 1|3 3 3 3 3 3|3 3 3 3 3 2 1|4 4 4 4 2|3 3 4 4 4|6 12|6 6 6|3 15'),
    check: isMexican,
    says: 'with a bank',
  },
  {
    country: 'AR',
    shape: any('22|8 14|3 4 1 13 1|7 1 13 1|4 4 4 4 4 2'),
    check: isArgentine,
    says: 'all',
  },
  {
    country: 'RU',
    shape: any('20|5 3 1 4 7|5 3 12|4 4 4 4 4'),
    check: (digits) => /^(?:30[12]|40[1-8]|42\d|45\d)\d\d(?:810|643|840|978|156|398)/.test(digits),
    says: 'all',
  },
  {
    country: 'UA',
    shape: dashed('14'),
    check: (digits) => /^2[0-9]/.test(digits),
    says: 'with a bank',
  },
  { country: 'IL', shape: any('2 3 (?:[5-9])|2 3 [3-6] [2-3]|3 [5-7] 2'), says: 'with a bank' },
  { country: 'JP', shape: any('5 [78]|5 1 [78]|3 7|4 3 7'), says: 'with a bank' },
  {
    country: 'KR',
    shape: any(
      '3 3 6|3 2 6|3 2 7|6 2 6|3 6 5|4 3 6|4 2 7|3 4 4 2|3 6 2 3|3 2 5 1|3 3 5 1|3 4 6|4 4 4 1?|6 2 5|3 4 5|3 3 3 3|6 6|4 4 4|3 5 5|3 5 3|3 7 1 3|3 6 3 2|13|14',
    ),
    says: 'with a bank',
  },
  { country: 'TH', shape: any('3 1 5 1|3 6 1|3 1 6|1 4 5 1|3 7|3 1 4 2'), says: 'with a bank' },
  { country: 'CN', shape: any('4 4 4 4 [1-4]|4 4 4 4 4|6 13|19'), says: 'with a bank' },
  {
    country: 'TW',
    shape: any('3 (?:1[0-4])|3 3 [2-9] ?[1-9]?|4 3 6|4 [23] 6 1|3 2 6 1|3 4 7 ?1?'),
    says: 'with a bank',
  },
  {
    country: 'HK',
    shape: any(
      '3 [6-9](?: 3)?|3 6 3|3 1 6 ?3?|3 3 6|3 3 [56] 1|3 3 1 6 1|3 6 [13]|3 [23] 5 1|3 3 3 3',
    ),
    says: 'with a bank',
  },
  { country: 'SG', shape: any('3 5 1|3 6 1|3 6 3|3 3 3 1|3 2 5 1|4 3 9'), says: 'with a bank' },
  {
    country: 'MY',
    shape: any('1 5 [78] 1?|4 4 4|3 3 6|2 3 6 1|4 5 [356] 1?'),
    says: 'with a bank',
  },
  {
    country: 'ID',
    shape: any('3 [67]|3 3 4|4 4 2|3 2 [58] 1?|3 3 3 1|4 2 6 2 1|3 00 7 1|4 4 4 3'),
    says: 'with a bank',
  },
  {
    country: 'PH',
    shape: any('4 4 2|3 6 [13]|3 1 3 5 1|1 3 3 5 1|4 4 4|1 9 1|3 3 3 3'),
    says: 'with a bank',
  },
  {
    country: 'BD',
    shape: any('3 3 [3-7]|4 3 [67]|3 3 4 [34]|3 3 [78]|4 1 [89]'),
    says: 'with a bank',
  },
  {
    country: 'BR',
    shape: dashed(
      String.raw`(?:[3-9]|1[0-3])-[12]|(?:\d{1,2}[.])?\d\.3-1|4[ /](?:[4-9]|1[0-2])-1|4-1[ /](?:[4-9]|1[0-2])-1|3[./]8-1|4[. ]3[. ]8-1|4 3 (?:8|11)-1`,
    ),
    says: 'with a bank',
  },
  { country: 'CL', shape: any('2 3 5 [12]|3 3 [45]|1 3 3 [345]'), says: 'with a bank' },
  {
    country: 'CO',
    shape: any('3 [6-8] 2|3 5 2|4 [78]|3 3 6|4 4 4 4|3 4 4|[34] 6 [12]'),
    says: 'with a bank',
  },
  {
    country: 'PE',
    shape: any('3 [78] 1 2|20|3 3 12 2|4 4 10|4 4 [34] 10|3 3 (?:[78]|10|12)(?: [12])?|3 8 1 2'),
    says: 'with a bank',
  },
  {
    country: 'VN',
    shape: any('4 4 4|3 3 [678]|3 [46] 6|4 4 4 [1-4]|3 4 3 3|3 1 00 6 1'),
    says: 'with a bank',
  },
  {
    country: 'AE',
    shape: any('3 [67] [23](?: [23])?|4 [67] [34]|2 3 6 2 ?[12]?'),
    says: 'with a bank',
  },
  {
    country: 'ZA',
    shape: any('3 3 [345]|2 4 4 1|4 4 [23]|2 3 3 3|4 6 1?|2 2 3 3 1'),
    says: 'with a bank',
  },
  { country: 'KE', shape: any('2 3 [5-8]|3 [67] 3|4 3 6'), says: 'with a bank' },
  { country: 'TR', shape: any('4 [5-8](?: [1-4])?|3 [5-8]'), says: 'with a bank' },
  {
    country: 'DE',
    shape: any(
      '[78] 3 ?3|8 (?:[6-9]|10)|3 3 2 (?:[6-9]|10)|(?:[6-9]|10) 8|(?:[6-9]|10) 3 3 2|1 3 3 3|3 3 [23] [23]|3 3 3 1|2 2 2 2 2|3 3 4|3 4 3',
    ),
    says: 'with a bank',
  },
  { country: 'IT', shape: any('5 5 12|22'), says: 'with a bank' },
  {
    country: 'AT',
    shape: any('5 (?:[5-9]|1[01])|3 3 3 ?[0-9]{0,2}|3 3 5|4 4 3'),
    says: 'with a bank',
  },
]

/** Of a number with letters in it. */
export interface Lettered {
  readonly pattern: RegExp
  readonly check?: (text: string) => boolean
  readonly says: 'all' | 'with its name'
}

/** In this order: what a later one finds inside of an earlier one is a part of it. */
export const LETTERED: readonly Lettered[] = [
  {
    pattern: /(?<![A-Za-z\d])[A-Z][ -]?\d{5}[ -]?\d{5}[ -]?[A-Z\d]{12}(?![A-Za-z\d])/g,
    check: isItalian,
    says: 'all',
  },
  {
    pattern: /(?<![A-Za-z\d])[A-Z][ -]\d{5}[ -]?\d{5}[ -]?[A-Z\d]{12}(?![A-Za-z\d])/g,
    says: 'with its name',
  },
  {
    pattern: /(?<![A-Za-z\d])\d{5}[ -]?\d{5}[ -]?(?=\d*[A-Z])[A-Z\d]{11}[ -]?\d{2}(?![A-Za-z\d])/g,
    check: isFrench,
    says: 'all',
  },
  // UBS: branch, account, currency and check letter
  {
    pattern: /(?<![A-Za-z\d])\d{3,4}[ -]\d{5,8}[ .][A-Z\d]{2,3}(?![A-Za-z\d])/g,
    says: 'with its name',
  },
  // France; the word for it stands before, since its check digits do not
  {
    pattern: /(?<![A-Za-z\d.-])(?=\d*[A-Z])(?=[A-Z]*\d{5})[A-Z\d]{11}(?![A-Za-z\d])/g,
    says: 'with its name',
  },
  // Banco do Brasil writes X for ten
  { pattern: /(?<![A-Za-z\d.-])\d[\d.]{2,12}-[xX](?![A-Za-z\d])/g, says: 'with its name' },
  // postal accounts of the Netherlands
  { pattern: /(?<![A-Za-z\d])[PG] ?\d{4,8}(?![A-Za-z\d])/g, says: 'with its name' },
]
