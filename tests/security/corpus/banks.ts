import { randomFrom, type Random } from './random.ts'

/**
 * Numbers of bank accounts as they are written in one country, and what stands around them. `{n}`
 * is the number that has to be found; `{m}` is one that may be.
 */
interface Country {
  readonly name: string
  readonly number: (random: Random) => string
  readonly also?: (random: Random) => string
  readonly said: readonly string[]
}

const grouped =
  (sizes: readonly number[], joint: string) =>
  (random: Random): string =>
    sizes.map((size) => String(random.between(1, 9)) + random.digits(size - 1)).join(joint)
const of =
  (...lengths: readonly number[]) =>
  (random: Random): string =>
    String(random.between(1, 9)) + random.digits(random.pick(lengths) - 1)

function routing(random: Random): string {
  const body = `0${random.between(1, 9)}${random.digits(6)}`
  const sum = [...body].reduce(
    (all, digit, at) => all + Number(digit) * ([3, 7, 1][at % 3] ?? 0),
    0,
  )
  return body + String((10 - (sum % 10)) % 10)
}

function clabe(random: Random): string {
  const body = `0${random.pick(['02', '12', '14', '21', '44', '72'])}${random.digits(14)}`
  const sum = [...body].reduce(
    (all, digit, at) => all + ((Number(digit) * ([3, 7, 1][at % 3] ?? 0)) % 10),
    0,
  )
  return body + String((10 - (sum % 10)) % 10)
}

const ifsc = (random: Random): string =>
  `${random.pick(['HDFC', 'SBIN', 'ICIC', 'UTIB', 'PUNB'])}0${random.digits(6)}`
const sortCode = (random: Random): string =>
  grouped([2, 2, 2], random.pick(['-', '-', ' ']))(random)

export const COUNTRIES: readonly Country[] = [
  {
    name: 'US',
    number: of(8, 9, 10, 12),
    also: routing,
    said: [
      'Account number: {n}',
      'Routing number {m}, account number {n}.',
      'ABA {m}, acct #{n}',
      'Wire it to checking account {n} at Chase.',
      'my savings account is {n}',
      'Acct no. {n}, routing no. {m}',
      'Bank account ending? No, the whole: {n} is the account number.',
      'Account #: {n}',
      'Acct: {n}',
      'Beneficiary account: {n}',
      'Deposit account no: {n}',
      'The account number is {n}.',
      'direct deposit account {n} (routing {m})',
      'account_number={n}',
      '"accountNumber": "{n}"',
      'Checking acct {n}',
      'Routing/Account: {m}/{n}',
      'DDA {n}',
      'credit account number {n} with the amount',
      'The number of the account is {n}.',
    ],
  },
  {
    name: 'UK',
    number: of(8),
    also: sortCode,
    said: [
      'Sort code {m}, account number {n}',
      'Sort code: {m}\nAccount: {n}',
      'S/C {m} A/C {n}',
      'sort code {m} and account no {n}',
      'Acc no: {n} Sort: {m}',
      '{m} {n} (sort code and account number)',
      'Account No. {n}, sort code {m}',
      'Please pay into account {n}, sort code {m}.',
      'a/c {n}, s/c {m}',
      'Sort Code {m} / Account {n}',
      'sort-code: {m}, {n}',
      'Bank details: {m} {n}',
      'BACS to {m} {n}',
    ],
  },
  {
    name: 'AU',
    number: of(8, 9),
    also: grouped([3, 3], '-'),
    said: [
      'BSB {m}, account {n}',
      'BSB: {m}\nAccount number: {n}',
      'BSB {m} Acc {n}',
      'BSB {m} ACC: {n}',
      'BSB No. {m} Account No. {n}',
      'bsb={m} account={n}',
      'Pay BSB {m} / {n}',
      'Account name Jo Park, BSB {m}, Acct {n}',
    ],
  },
  {
    name: 'CA',
    number: of(8, 10, 12),
    also: grouped([5], ''),
    said: [
      'Transit {m}, institution 003, account {n}',
      'Transit number: {m}, Institution number: 004, Account number: {n}',
      'transit no. {m} inst. 001 acct {n}',
      'Institution 002, transit {m}, acct no {n}',
      'Num\u00e9ro de compte {n}, transit {m}',
      'no de compte : {n}, institution 815, transit {m}',
      'Chequing account {n}',
      'Direct deposit: 003-{m}-{n}',
    ],
  },
  {
    name: 'IN',
    number: of(11, 12, 14, 15, 16),
    also: ifsc,
    said: [
      'A/c No: {n}, IFSC: {m}',
      'Account No {n} IFSC {m}',
      'A/C {n} with IFSC {m}',
      'IFSC code {m}, account number {n}',
      'IFSC {m} - {n}',
      'SB A/c {n}',
      'Savings A/c no. {n}',
      'Bank a/c: {n}',
      'Ac no {n}, IFSC {m}',
      '\u0916\u093e\u0924\u093e \u0938\u0902\u0916\u094d\u092f\u093e {n}',
      '\u0916\u093e\u0924\u093e \u0928\u0902\u092c\u0930: {n}',
    ],
  },
  {
    name: 'JP',
    number: of(8),
    said: [
      '\u53e3\u5ea7\u756a\u53f7\uff1a{n}',
      '\u53e3\u5ea7\u756a\u53f7 {n}',
      '\u53e3\u5ea7\u756a\u53f7\u306f{n}\u3067\u3059',
      '\u666e\u901a\u9810\u91d1 {n}',
      '\u666e\u901a {n}',
      '\u632f\u8fbc\u5148\u53e3\u5ea7: {n}',
      'Futsu account {n}',
      '\u5f53\u5ea7\u9810\u91d1 {n}',
    ],
  },
  {
    name: 'BR',
    number: (random) => `${of(8, 9, 10)(random)}${random.pick(['', `-${random.digits(1)}`])}`,
    said: [
      'Conta corrente {n}, ag\u00eancia 1234',
      'Ag\u00eancia 0001, Conta {n}',
      'Ag. 1234 C/C {n}',
      'C/C: {n}',
      'Conta: {n}',
      'n\u00famero da conta {n}',
      'Conta poupan\u00e7a n\u00ba {n}',
      'conta banc\u00e1ria: {n}',
      'ag 3456-7 cc {n}',
      'Conta n\u00ba {n}',
    ],
  },
  {
    name: 'MX',
    number: clabe,
    said: [
      'CLABE {n}',
      'CLABE: {n}',
      'CLABE interbancaria {n}',
      'La CLABE es {n}.',
      'cuenta CLABE {n}',
      'clabe={n}',
      'N\u00famero de cuenta CLABE: {n}',
      'transferir a la CLABE interbancaria: {n}',
      'CLABE no. {n}',
    ],
  },
  {
    name: 'DE',
    number: of(8, 9, 10),
    also: grouped([8], ''),
    said: [
      'Kontonummer {n}, BLZ {m}',
      'Konto: {n} BLZ: {m}',
      'Kto.-Nr. {n}',
      'Kto {n}',
      'Konto-Nr.: {n}',
      'Bankverbindung: {n}, BLZ {m}',
      'Ktonr {n}',
      'Girokonto {n}',
      'auf das Konto mit der Nummer {n}',
      'Die Kontonummer lautet {n}.',
    ],
  },
  {
    name: 'FR',
    number: of(11),
    said: [
      'Num\u00e9ro de compte {n}',
      'compte n\u00b0 {n}',
      'Compte bancaire : {n}',
      'RIB 30004 00823 {n} 56',
      'N\u00b0 de compte : {n}',
      'num\u00e9ro du compte {n}',
      'mon compte courant {n}',
    ],
  },
  {
    name: 'ES',
    number: of(10, 12),
    said: [
      'N\u00famero de cuenta: {n}',
      'Cuenta bancaria {n}',
      'Cta. {n}',
      'cta n\u00ba {n}',
      'cuenta corriente {n}',
      'n.\u00ba de cuenta {n}',
      'cuenta de ahorros {n}',
      'c/c {n}',
      'Mi cuenta es la {n}',
      'cuenta: {n}',
    ],
  },
  {
    name: 'IT',
    number: of(12),
    said: [
      'Conto corrente {n}',
      'c/c n. {n}',
      'C/C {n}',
      'numero di conto {n}',
      'conto bancario: {n}',
      'n. conto {n}',
      'sul conto {n}',
      'numero conto: {n}',
    ],
  },
  {
    name: 'NL',
    number: of(9, 10),
    said: [
      'Rekeningnummer {n}',
      'rekening {n}',
      'bankrekening: {n}',
      'rek.nr. {n}',
      'reknr {n}',
      'op rekening {n}',
    ],
  },
  {
    name: 'PL',
    number: grouped([2, 4, 4, 4], ' '),
    said: [
      'Numer konta {n}',
      'nr konta: {n}',
      'rachunek bankowy {n}',
      'nr rachunku {n}',
      'Numer rachunku: {n}',
      'konto nr {n}',
    ],
  },
  {
    name: 'SE',
    number: of(9, 10, 11),
    said: [
      'Kontonummer: {n}',
      'bankkonto {n}',
      'konto nr {n}',
      'Clearing 8327, konto {n}',
      'kontonr {n}',
    ],
  },
  {
    name: 'CN',
    number: of(16, 17),
    said: [
      '\u8d26\u53f7\uff1a{n}',
      '\u94f6\u884c\u8d26\u6237 {n}',
      '\u94f6\u884c\u8d26\u53f7 {n}',
      '\u6237\u53e3\u53f7\u7801 {n}',
      '\u8d26\u6237\u53f7\u7801\uff1a{n}',
    ],
  },
  {
    name: 'RU',
    number: of(17),
    said: [
      '\u0440\u0430\u0441\u0447\u0435\u0442\u043d\u044b\u0439 \u0441\u0447\u0435\u0442 {n}',
      '\u0440/\u0441 {n}',
      '\u043d\u043e\u043c\u0435\u0440 \u0441\u0447\u0435\u0442\u0430: {n}',
    ],
  },
  {
    name: 'TR',
    number: of(8, 10),
    said: ['Hesap numaras\u0131: {n}', 'hesap no {n}', 'banka hesab\u0131 {n}'],
  },
]

/** What speaks of accounts, banks or codes, and of numbers that are none of an account. */
export const ORDINARY: readonly string[] = [
  'The account executive closed 12345678 units in Q3.',
  'Account opened 20240511, ref 99887766.',
  'Please cc 12345678@example.com on it.',
  'Ag prices: 12345678 tons.',
  '\u666e\u901a\u306e\u8cea\u554f\u3067\u3059\u3002\u53d7\u4ed8\u756a\u53f7 12345678',
  '\u0421\u0447\u0435\u0442 \u2116 12345678 \u043d\u0430 \u043e\u043f\u043b\u0430\u0442\u0443',
  'Tener en cuenta que hay 12345678 registros.',
  'Leva em conta os 12345678 pedidos.',
  'Il conto alla rovescia: 12345678 secondi.',
  'Kundenkonto seit 01.02.2024, Rechnung 12345678.',
  'The transit time of parcel 12345678 is 3 days.',
  'Sort code review by 20240511.',
  'clearing 12345678 rows from the cache',
  'aba therapy 12345678',
  'Order 2345678 was shipped, tracking 123456789012.',
  'Ticket 7654321 is closed.',
  'Phone 0301234567, fax 0301234568.',
  'The agency 1234 answered; case 12345678.',
  'RIB cage order 12345678',
  'the compte rendu 12345678',
  'accounts: 12345678 active users',
  'Accounting period 20240101-20241231',
  'acc. to report 12345678',
  'On account of order 12345678 we waited.',
  'hesapta 12345678 takip\u00e7i var',
  'The BSB committee met; minutes 12345678.',
  'Routing table 12345678 entries',
  'ifsc documents: 12345678 pages',
  'Rekening houdend met 12345678 bezoekers',
  'Zaksi\u0119gowano 12345678 pozycji',
  '\u53e3\u5ea7\u3092\u958b\u304f\u306b\u306f\u3001\u7533\u8fbc\u756a\u53f7 12345678 \u304c\u8981\u308a\u307e\u3059\u3002',
  'The direct deposit form is document 12345678.',
  'Bank details changed in ticket 12345678.',
  'invoice 12345678, SKU 1234-5678, batch 123-456-789',
  'Konto wurde am 20240511 er\u00f6ffnet.',
  'GPS 52.5200066, 13.4049540',
  'Version 1234567 of the CLABE validator',
]

const CARRIERS = [
  '{s}',
  'Here is what I have: {s}',
  '{s} Thank you.',
  '- {s}\n- more to follow',
  '| x | {s} |',
  'As asked:\n\n{s}\n\nAnything else?',
]

/** Half of what is said of each country, with numbers drawn from one seed. */
export function accounts(
  half: 0 | 1,
): readonly { readonly country: string; readonly text: string; readonly number: string }[] {
  const random = randomFrom(`banks/${half}`)
  return COUNTRIES.flatMap(({ name, number, also, said }) =>
    said
      .filter((_, at) => at % 2 === half)
      .flatMap((template) =>
        [0, 1, 2].map(() => {
          const own = number(random)
          const sentence = template.replace('{n}', own).replace('{m}', also?.(random) ?? '')
          return {
            country: name,
            number: own,
            text: random.pick(CARRIERS).replace('{s}', sentence),
          }
        }),
      ),
  )
}
