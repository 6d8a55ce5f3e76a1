import { ibanLength, isCard, isLuhn, isRouting, isSsn, mod97 } from './checks.ts'
import type { Random } from './random.ts'

/** The four kinds a label can have. */
export type Kind = 'ssn' | 'card' | 'bank_account' | 'iban'

interface Finding {
  readonly kind: Kind
  readonly make: (random: Random) => string
}

/** Draws until a draw will do. */
export function until(draw: () => string, accepts: (drawn: string) => boolean): string {
  for (let tries = 0; tries < 10_000; tries++) {
    const drawn = draw()
    if (accepts(drawn)) return drawn
  }
  throw new Error('no draw was accepted')
}

export const withLuhn = (body: string): string =>
  [...'0123456789'].map((digit) => body + digit).find(isLuhn) ?? body

/** Cuts digits into groups of these sizes, and joins the groups. */
export function grouped(digits: string, sizes: readonly number[], separator: string): string {
  let at = 0
  return sizes
    .map((size) => digits.slice(at, (at += size)))
    .filter((group) => group !== '')
    .join(separator)
}

export const ssnDigits = (random: Random): string => until(() => random.digits(9), isSsn)
const ssn = (random: Random, separator: string): string =>
  grouped(ssnDigits(random), [3, 2, 4], separator)

const nonBreaking = '\u00a0'
const narrow = '\u202f'
const unicodeDashes = ['\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212', '\uff0d']

// Numbers that card schemes and payment providers publish for testing.
const testCards = [
  '4111111111111111',
  '4012888888881881',
  '4242424242424242',
  '4000056655665556',
  '4222222222222',
  '4005519200000004',
  '4009348888881881',
  '4500600000000061',
  '4917610000000000',
  '4917610000000000003',
  '4484070000000000',
  '5555555555554444',
  '5105105105105100',
  '5200828282828210',
  '5454545454545454',
  '2223003122003222',
  '2223000048400011',
  '2222400070000005',
  '378282246310005',
  '371449635398431',
  '378734493671000',
  '341111111111111',
  '6011111111111117',
  '6011000990139424',
  '6011000400000000',
  '30569309025904',
  '38520000023237',
  '36227206271667',
  '36006666333344',
  '3530111333300000',
  '3566002020360505',
  '3569990010095841',
  '6200000000000005',
  '6200000000000047',
  '6205500000000000004',
  '6759649826438453',
  '6799990100000000019',
  '6304000000000000',
  '6771798021000008',
]

// The ranges those numbers lie in; other numbers are made inside them only.
const testRanges: readonly (readonly [prefix: string, length: number])[] = [
  ['411111', 16],
  ['424242', 16],
  ['400000', 16],
  ['401288', 16],
  ['491761', 19],
  ['555555', 16],
  ['510510', 16],
  ['520082', 16],
  ['222300', 16],
  ['378282', 15],
  ['371449', 15],
  ['601111', 16],
  ['601100', 16],
  ['305693', 14],
  ['385200', 14],
  ['362272', 14],
  ['353011', 16],
  ['356600', 16],
  ['620000', 16],
  ['620550', 19],
  ['675964', 16],
  ['679999', 19],
]

export const cardDigits = (random: Random): string => {
  if (random.chance(0.4)) return random.pick(testCards)
  const [prefix, length] = random.pick(testRanges)
  return withLuhn(prefix + random.digits(length - 1 - prefix.length))
}

/** As the number is printed on a card of that length. */
export function cardSpelling(digits: string, separator: string): string {
  const sizes =
    digits.length === 15
      ? [4, 6, 5]
      : digits.length === 14
        ? [4, 6, 4]
        : digits.length === 13
          ? [4, 3, 3, 3]
          : [4, 4, 4, 4, 3]
  return grouped(digits, sizes, separator)
}

export const accountDigits = (random: Random, length = random.between(8, 17)): string =>
  until(
    () => String(random.between(1, 9)) + random.digits(length - 1),
    (digits) => !isCard(digits),
  )

export const routingDigits = (random: Random): string => until(() => random.digits(9), isRouting)

const letters = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.pick([...'ABCDEFGHJKLMNPRSTVWXYZ'])).join('')

const weighed = (digits: string, weights: readonly number[]): number => {
  const rest =
    11 -
    ([...digits].reduce((sum, digit, index) => sum + Number(digit) * (weights[index] ?? 0), 0) % 11)
  return rest === 11 ? 0 : rest === 10 ? 1 : rest
}

// The part behind the check digits, with the country's own check digit where it has one.
const nationalParts: Readonly<Record<string, (random: Random) => string>> = {
  DE: (random) => random.digits(18),
  AT: (random) => random.digits(16),
  GB: (random) => letters(random, 4) + random.digits(14),
  IE: (random) => letters(random, 4) + random.digits(14),
  NL: (random) => letters(random, 4) + random.digits(10),
  CH: (random) => random.digits(17),
  LI: (random) => random.digits(17),
  LU: (random) => random.digits(16),
  RO: (random) => letters(random, 4) + random.digits(16),
  GR: (random) => random.digits(23),
  MT: (random) => letters(random, 4) + random.digits(23),
  LT: (random) => random.digits(16),
  AE: (random) => random.digits(19),
  SA: (random) => random.digits(20),
  BE: (random) => {
    const body = random.digits(10)
    return body + String(Number(body) % 97 || 97).padStart(2, '0')
  },
  FR: (random) => {
    const [bank, branch, account] = [random.digits(5), random.digits(5), random.digits(11)]
    const key = 97 - ((89 * Number(bank) + 15 * Number(branch) + 3 * Number(account)) % 97)
    return bank + branch + account + String(key).padStart(2, '0')
  },
  ES: (random) => {
    const [bank, account] = [random.digits(8), random.digits(10)]
    const check = [
      weighed(`00${bank}`, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]),
      weighed(account, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]),
    ]
    return bank + check.join('') + account
  },
}

// The examples of the IBAN registry, for countries whose own check digits are longer to compute.
const registryExamples = [
  'NO9386011117947',
  'FI2112345600000785',
  'PL61109010140000071219812874',
  'PT50000201231234567890154',
  'IT60X0542811101000000123456',
  'HU42117730161111101800000000',
  'CZ6508000000192000145399',
  'EE382200221020145685',
  'HR1210010051863000160',
  'SE4550000000058398257466',
  'DK5000400440116243',
  'SK3112000000198742637541',
  'SI56263300012039086',
]

export function withIbanCheck(country: string, national: string): string {
  return country + String(98 - mod97(`${national}${country}00`)).padStart(2, '0') + national
}

export function ibanCompact(random: Random): string {
  if (random.chance(0.2)) return random.pick(registryExamples)
  const country = random.pick(Object.keys(nationalParts))
  const national = nationalParts[country]?.(random) ?? ''
  if (national.length + 4 !== ibanLength[country])
    throw new Error(`an IBAN of ${country} is of another length`)
  return withIbanCheck(country, national)
}

export const ibanSpelling = (compact: string, separator = ' '): string =>
  grouped(compact, [4, 4, 4, 4, 4, 4, 4, 4, 4], separator)

/** What a template may name as `{name}` to place something that must be found. */
export const findings: Readonly<Record<string, Finding>> = {
  ssn: { kind: 'ssn', make: (random) => ssn(random, '-') },
  ssn_unicode: { kind: 'ssn', make: (random) => ssn(random, random.pick(unicodeDashes)) },
  ssn_spaced: {
    kind: 'ssn',
    make: (random) => ssn(random, random.pick([' ', ' ', ' ', ' ', nonBreaking, narrow])),
  },
  ssn_dotted: { kind: 'ssn', make: (random) => ssn(random, '.') },
  ssn_loose: { kind: 'ssn', make: (random) => ssn(random, random.pick([' - ', ' \u2013 '])) },
  ssn_bare: { kind: 'ssn', make: ssnDigits },
  ssn_any: {
    kind: 'ssn',
    make: (random) =>
      ssn(random, random.pick(['-', '-', ' ', '.', '', nonBreaking, '\u2011', '\u2013'])),
  },

  card: {
    kind: 'card',
    make: (random) => cardSpelling(cardDigits(random), random.pick([' ', ' ', '-', nonBreaking])),
  },
  card_dotted: {
    kind: 'card',
    make: (random) => cardSpelling(cardDigits(random), random.pick(['.', '\u2013', narrow])),
  },
  card_bare: { kind: 'card', make: cardDigits },
  card_any: {
    kind: 'card',
    make: (random) => cardSpelling(cardDigits(random), random.pick([' ', '-', '', '', '.'])),
  },
  amex: {
    kind: 'card',
    make: (random) =>
      cardSpelling(
        withLuhn(random.pick(['378282', '371449']) + random.digits(8)),
        random.pick([' ', '-', '']),
      ),
  },

  account: { kind: 'bank_account', make: (random) => accountDigits(random) },
  account_8: { kind: 'bank_account', make: (random) => accountDigits(random, 8) },
  account_10: { kind: 'bank_account', make: (random) => accountDigits(random, 10) },
  account_12: { kind: 'bank_account', make: (random) => accountDigits(random, 12) },
  account_grouped: {
    kind: 'bank_account',
    make: (random) => grouped(accountDigits(random, 12), [4, 4, 4], random.pick([' ', '-'])),
  },
  routing: { kind: 'bank_account', make: routingDigits },

  iban: { kind: 'iban', make: (random) => ibanSpelling(ibanCompact(random)) },
  iban_compact: { kind: 'iban', make: ibanCompact },
  iban_lower: {
    kind: 'iban',
    make: (random) => ibanSpelling(ibanCompact(random).toLowerCase(), random.pick([' ', ''])),
  },
  iban_odd: {
    kind: 'iban',
    make: (random) => ibanSpelling(ibanCompact(random), random.pick(['-', nonBreaking, narrow])),
  },
}
