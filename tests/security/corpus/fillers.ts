import { isCard, isIban, isIssued, isLuhn, isRouting, isSsn } from './checks.ts'
import {
  cardDigits,
  cardSpelling,
  grouped,
  ibanCompact,
  ibanSpelling,
  ssnDigits,
  until,
  withIbanCheck,
  withLuhn,
} from './findings.ts'
import type { Random } from './random.ts'

const firstNames = [
  'Camille',
  'Tobias',
  'Ines',
  'Ravi',
  'Marta',
  'Oluwaseun',
  'Jonas',
  'Priya',
  'Kenji',
  'Luc\u00eda',
  'Anouk',
  'Dmitri',
  'Farah',
  'Henrik',
  'Noor',
  'Mateus',
  'Sofia',
  'Tariq',
  'Wanda',
  'Yusuf',
  'Zo\u00eb',
  'Caspian',
  'Delphine',
  'Emeka',
  'Greta',
  'Hollis',
  'Imran',
  'Juno',
  'Kaja',
  'Linus',
]
const lastNames = [
  'Moreauville',
  'Lindqvance',
  'Okonjare',
  'Halversen-Pike',
  'Vasquelo',
  'Tanabori',
  'Brightmoor',
  'Kessleride',
  'Duartino',
  'Novakovec',
  'Ashgrovely',
  'Pembertine',
  'Rasmussley',
  'Iyengarth',
  'Quillfeather',
  'Storvane',
  'Yamaguro',
  'Castellux',
  'Ferndalle',
  'Wickersley',
  'Abernazzi',
  'Thistlewick',
]
const companies = [
  'Northwind Tiles',
  'Oakhurst Dental',
  'Bluefin Logistics',
  'Papaya Fintech',
  'Harrow & Vale',
  'Sunder Robotics',
  'Kestrel Paper',
  'Mosaic Foods',
  'Tern Insurance',
  'Aldous Print',
]
const products = [
  'stand mixer',
  'desk lamp',
  'rain jacket',
  'bike rack',
  'label printer',
  'router',
  'office chair',
  'heat pump',
  'tablet sleeve',
  'water filter',
]
const cities = [
  'Leeds',
  'Tulsa',
  'Ghent',
  'Porto',
  'Malm\u00f6',
  'Osaka',
  'Lyon',
  'Dresden',
  'Recife',
  'Spokane',
  'Aarhus',
  'Graz',
]

export const fullName = (random: Random): string =>
  `${random.pick(firstNames)} ${random.pick(lastNames)}`

const two = (value: number): string => String(value).padStart(2, '0')
const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => random.pick([...'0123456789abcdef'])).join('')
const isoDate = (random: Random): string =>
  `${random.between(2019, 2027)}-${two(random.between(1, 12))}-${two(random.between(1, 28))}`
const time = (random: Random): string =>
  `${two(random.between(0, 23))}:${two(random.between(0, 59))}:${two(random.between(0, 59))}`
const noCard = (random: Random, prefix: string, length: number): string =>
  until(
    () => prefix + random.digits(length - prefix.length),
    (digits) => !isCard(digits),
  )
/** Nine digits that no rule can take for a routing number either. */
const nine = (random: Random): string =>
  until(
    () => String(random.between(1, 8)) + random.digits(8),
    (digits) => !isRouting(digits),
  )
const impossible = (random: Random, area: string, group: string, serial: string): string =>
  grouped(
    until(
      () =>
        [area, group, serial].map((part) => part.replace(/\?/g, () => random.digits(1))).join(''),
      (digits) => !isSsn(digits),
    ),
    [3, 2, 4],
    '-',
  )

const phonesUs: readonly ((random: Random) => string)[] = [
  (random) => `(${random.between(201, 989)}) 555-01${random.digits(2)}`,
  (random) => `${random.between(201, 989)}-555-01${random.digits(2)}`,
  (random) => `${random.between(201, 989)}.555.01${random.digits(2)}`,
  (random) => `+1 ${random.between(201, 989)} 555 01${random.digits(2)}`,
  (random) => `+1${random.between(201, 989)}55501${random.digits(2)}`,
]
const phonesAbroad: readonly ((random: Random) => string)[] = [
  (random) => `079 ${random.digits(3)} ${random.digits(2)} ${random.digits(2)}`,
  (random) => `+41 44 ${random.digits(3)} ${random.digits(2)} ${random.digits(2)}`,
  (random) => `+49 30 9018${random.digits(1)} ${random.digits(4)}`,
  (random) => `0151 ${random.between(2, 9)}${random.digits(7)}`,
  (random) => `+48 601 ${random.digits(3)} ${random.digits(3)}`,
  (random) => `612 ${random.digits(2)} ${random.digits(2)} ${random.digits(2)}`,
  (random) => `+33 1 70 18 ${random.digits(2)} ${random.digits(2)}`,
  (random) => `070-${random.digits(3)} ${random.digits(2)} ${random.digits(2)}`,
  (random) => `+44 20 7946 0${random.digits(3)}`,
  (random) => `912 ${random.digits(2)} ${random.digits(3)}`,
]

const isbn13 = (random: Random): string => {
  const body = `978${random.digits(9)}`
  const sum = [...body].reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3),
    0,
  )
  return grouped(`${body}${(10 - (sum % 10)) % 10}`, [3, 1, 3, 5, 1], '-')
}
const gtin = (random: Random, prefix: string, length: number): string =>
  until(
    () => {
      const body = prefix + random.digits(length - 1 - prefix.length)
      const sum = [...body]
        .reverse()
        .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
      return body + String((10 - (sum % 10)) % 10)
    },
    (digits) => !isCard(digits),
  )
const nir = (random: Random): string =>
  until(
    () => {
      const body = `${random.between(1, 2)}${two(random.between(40, 99))}${two(random.between(1, 12))}${two(random.between(1, 95))}${random.digits(6)}`
      return body + two(97 - (Number(body) % 97))
    },
    (digits) => !isCard(digits),
  )

const brokenCard = (random: Random): string => {
  const digits = cardDigits(random)
  const at = random.between(6, digits.length - 1)
  return until(
    () => digits.slice(0, at) + random.digits(1) + digits.slice(at + 1),
    (changed) => !isLuhn(changed),
  )
}
/** Whether some of its digits, taken by themselves, are a card by chance. */
const holdsCard = (text: string): boolean =>
  (text.match(/\d{13,}/g) ?? []).some((run) =>
    [...run].some((_, from) =>
      [13, 14, 15, 16, 17, 18, 19].some(
        (length) => from + length <= run.length && isCard(run.slice(from, from + length)),
      ),
    ),
  )

const brokenIban = (random: Random): string =>
  until(
    () => {
      const compact = ibanCompact(random)
      const at = random.between(8, compact.length - 2)
      return compact.slice(0, at) + random.digits(1) + compact.slice(at + 1)
    },
    (changed) => !isIban(changed) && !holdsCard(changed),
  )

type Filler = (random: Random) => string

/** What a template may name as `{name}` to place anything that must not be found. */
export const fillers: Readonly<Record<string, Filler>> = {
  // People and things
  name: fullName,
  first: (random) => random.pick(firstNames),
  last: (random) => random.pick(lastNames),
  company: (random) => random.pick(companies),
  product: (random) => random.pick(products),
  city: (random) => random.pick(cities),
  n1: (random) => String(random.between(2, 9)),
  n2: (random) => String(random.between(11, 99)),
  n3: (random) => String(random.between(101, 998)),
  n4: (random) => String(random.between(1001, 9899)),
  n6: (random) => String(random.between(100_000, 999_999)),

  // Times and places
  date: isoDate,
  date_us: (random) =>
    `${two(random.between(1, 12))}/${two(random.between(1, 28))}/${random.between(2019, 2027)}`,
  date_eu: (random) =>
    `${two(random.between(1, 28))}.${two(random.between(1, 12))}.${random.between(2019, 2027)}`,
  date_compact: (random) => isoDate(random).replace(/-/g, ''),
  time,
  timestamp: (random) => `${isoDate(random)}T${time(random)}.${random.digits(3)}Z`,
  epoch: (random) => `17${random.digits(8)}`,
  epoch_ms: (random) => `17${random.digits(11)}`,
  epoch_us: (random) => `17${random.digits(14)}`,
  epoch_ns: (random) => `17${random.digits(17)}`,
  coordinates: (random) =>
    `${random.between(-89, 89)}.${random.digits(random.between(4, 7))}, ${random.between(-179, 179)}.${random.digits(random.between(4, 7))}`,
  ip: (random) => Array.from({ length: 4 }, () => random.between(1, 254)).join('.'),
  zip4: (random) => `${random.between(10_000, 99_000)}-${random.between(1001, 9899)}`,

  // Money
  money: (random) =>
    `${random.between(10, 99)},${random.digits(3)},${random.digits(3)}.${random.digits(2)}`,
  money_eu: (random) =>
    `${random.between(10, 99)}.${random.digits(3)}.${random.digits(3)},${random.digits(2)}`,
  money_plain: (random) => `${random.between(10, 99)}${random.digits(6)}.${random.digits(2)}`,
  cents: (random) => `${random.between(10, 99)}.${random.digits(2)}`,

  // Calls
  phone: (random) => random.pick(phonesUs)(random),
  phone_abroad: (random) => random.pick(phonesAbroad)(random),
  phone_bare: (random) => `${random.between(201, 989)}55501${random.digits(2)}`,

  // Close to a social security number
  bad_area: (random) => impossible(random, random.pick(['000', '666', '9??']), '4?', '????'),
  bad_group: (random) => impossible(random, random.pick(['1??', '4??']), '00', '????'),
  bad_serial: (random) => impossible(random, random.pick(['2??', '5??']), '4?', '0000'),
  itin: (random) => `9${random.digits(2)}-${random.between(70, 88)}-${random.digits(4)}`,
  bad_nine: (random) =>
    random.pick(['000', '666', '9'.concat(random.digits(2))]) +
    random.pick(['12', '47', '80']) +
    random.digits(4),
  nine,
  nine_grouped: (random) => grouped(nine(random), [3, 3, 3], random.pick([' ', '-', '.'])),
  ein: (random) => grouped(nine(random), [2, 7], '-'),
  two_three_four: (random) => grouped(nine(random), [2, 3, 4], '-'),
  four_two_three: (random) => grouped(nine(random), [4, 2, 3], '-'),
  ten_split: (random) => grouped(random.between(1, 9) + nine(random), [4, 2, 4], '-'),
  part_long: (random) =>
    `${grouped(ssnDigits(random), [3, 2, 4], '-')}-${two(random.between(1, 40))}`,
  part_lettered: (random) =>
    `${random.pick(['PN', 'HX', 'Q', 'BRK'])}${grouped(ssnDigits(random), [3, 2, 4], '-')}${random.pick(['A', 'R', 'X2', 'B'])}`,
  part_prefixed: (random) =>
    `${random.digits(1)}-${grouped(ssnDigits(random), [3, 2, 4], '-')}-${random.digits(1)}`,
  build: (random) =>
    `${random.between(100, 140)}.0.${random.between(4000, 7000)}.${random.between(11, 250)}`,
  version: (random) =>
    `${random.between(1, 24)}.${random.between(0, 40)}.${random.between(0, 900)}`,
  version_wide: (random) => grouped(ssnDigits(random), [3, 2, 4], '.'),
  isbn13,
  isbn10: (random) => grouped(`${random.digits(9)}X`, [1, 3, 5, 1], '-'),
  nir: (random) => grouped(nir(random), [1, 2, 2, 2, 3, 3, 2], ' '),

  // Ids of machines
  uuid: (random) =>
    `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`,
  uuid_digits: (random) =>
    `${random.digits(8)}-${random.digits(4)}-4${random.digits(3)}-9${random.digits(3)}-${random.digits(12)}`,
  sha1: (random) => hex(random, 40),
  sha_short: (random) => hex(random, random.pick([7, 8, 10, 12])),
  hex_card: (random) =>
    random.pick(['e', 'a9', 'c']) + cardDigits(random) + random.pick(['f', 'd0', 'b']),
  hex_0x: (random) => `0x${cardDigits(random)}`,
  snowflake: (random) => `1${random.digits(random.pick([16, 17, 18]))}`,
  order_amazon: (random) => `${random.between(111, 114)}-${random.digits(7)}-${random.digits(7)}`,
  order: (random) =>
    `${random.pick(['SO', 'PO', 'ORD', 'R'])}-${random.digits(random.pick([6, 8, 9]))}`,
  ticket: (random) =>
    `${random.pick(['INC', 'REQ', 'CHG', 'T'])}${random.digits(random.pick([7, 8, 9]))}`,
  eight: (random) => `${random.between(1, 9)}${random.digits(7)}`,
  ten: (random) => `${random.between(1, 9)}${random.digits(9)}`,

  // Parcels and goods
  ups: (random) => `1Z${random.pick(['999AA1', 'E4W808', 'X2R17F'])}${random.digits(10)}`,
  fedex: (random) => noCard(random, random.pick(['7', '9', '0']), random.pick([12, 15])),
  usps: (random) =>
    grouped(
      until(
        () => `94${random.digits(20)}`,
        (digits) => !holdsCard(digits),
      ),
      [4, 4, 4, 4, 4, 2],
      random.pick([' ', '']),
    ),
  gtin13: (random) => gtin(random, random.pick(['4', '5', '76', '978', '0']), 13),
  gtin14: (random) => gtin(random, random.pick(['1', '3', '5']), 14),
  sscc: (random) => gtin(random, '00', 18),

  // Close to a card
  card_broken: (random) => cardSpelling(brokenCard(random), random.pick([' ', '-', ''])),
  card_broken_bare: brokenCard,
  card_nobody: (random) =>
    cardSpelling(
      until(
        () =>
          withLuhn(
            (
              random.pick(['1', '7', '8', '9', '0', '21', '28', '31', '33']) + random.digits(14)
            ).slice(0, 15),
          ),
        (digits) => !isIssued(digits),
      ),
      random.pick([' ', '-', '']),
    ),
  card_wrong_length: (random) =>
    until(
      () => withLuhn(random.pick(['4', '51', '54']) + random.digits(random.pick([11, 12]))),
      (digits) => !isIssued(digits),
    ),
  imei: (random) =>
    until(
      () =>
        withLuhn(
          (random.pick(['35', '3569', '8604', '0115', '9900']) + random.digits(14)).slice(0, 14),
        ),
      (digits) => !isIssued(digits),
    ),
  iccid: (random) => withLuhn(`89${random.pick(['44', '01', '49'])}${random.digits(14)}`),
  decimal: (random) => `0.${cardDigits(random)}`,
  decimal_long: (random) => `${random.between(1, 9)}.${cardDigits(random)}`,
  card_longer: (random) => cardDigits(random) + random.digits(random.between(6, 9)),
  card_by_commas: (random) => cardSpelling(cardDigits(random), ','),
  masked: (random) =>
    random.pick([
      `**** **** **** ${random.digits(4)}`,
      `\u2022\u2022\u2022\u2022 ${random.digits(4)}`,
      `xxxx-xxxx-xxxx-${random.digits(4)}`,
      `XXXXXXXXXXXX${random.digits(4)}`,
      `411111******${random.digits(4)}`,
      `4242 42** **** ${random.digits(4)}`,
      `3782 ****** *${random.digits(4)}`,
    ]),
  masked_ssn: (random) =>
    random.pick([
      `***-**-${random.digits(4)}`,
      `XXX-XX-${random.digits(4)}`,
      `xxx-xx-${random.digits(4)}`,
      '###-##-####',
      '[REDACTED]',
    ]),
  masked_account: (random) =>
    random.pick([
      `****${random.digits(4)}`,
      `\u2022\u2022\u2022\u2022\u2022${random.digits(3)}`,
      `XXXXXX${random.digits(4)}`,
      `x${random.digits(4)}`,
    ]),
  four: (random) => random.digits(4),
  reference_16: (random) => noCard(random, random.pick(['4', '5', '37', '60', '2']), 16),

  // Close to an IBAN
  iban_broken: (random) => ibanSpelling(brokenIban(random), random.pick([' ', ''])),
  iban_short: (random) =>
    ibanSpelling(
      until(
        () => ibanCompact(random).slice(0, -random.between(1, 3)),
        (compact) => !isIban(compact) && !holdsCard(compact),
      ),
      random.pick([' ', '']),
    ),
  iban_long: (random) =>
    until(
      () => ibanCompact(random) + random.digits(2),
      (compact) => !isIban(compact) && !holdsCard(compact),
    ),
  iban_nowhere: (random) =>
    ibanSpelling(
      until(
        () => withIbanCheck(random.pick(['ZZ', 'QT', 'OX', 'XJ']), random.digits(18)),
        (compact) => !holdsCard(compact),
      ),
      random.pick([' ', '']),
    ),
  iban_masked: (random) => `${ibanCompact(random).slice(0, 4)} **** **** **${random.digits(2)}`,
  bic: (random) =>
    random.pick([
      'NWTLDEFF',
      'OAKHGB2LXXX',
      'BLFNFRPP',
      'PAPYNL2A',
      'TERNCHZZ80A',
      'KSTLBEBB',
      'MOSADKKK',
    ]),
  vat: (random) =>
    random.pick([
      `DE${random.digits(9)}`,
      `GB ${random.digits(3)} ${random.digits(4)} ${random.digits(2)}`,
      `FR${random.digits(11)}`,
      `ATU${random.digits(8)}`,
      `NL${random.digits(9)}B01`,
    ]),
  reference_lettered: (random) =>
    `${random.pick(['DE', 'GB', 'FR', 'NL', 'CH'])}${random.digits(2)}-${random.digits(4)}-${random.digits(4)}-${random.digits(4)}`,
  container: (random) => `${random.pick(['MSKU', 'TGHU', 'CMAU'])}${random.digits(7)}`,
  vin: (random) => `WVWZZZ${random.digits(1)}KZ${random.digits(8)}`,
}
