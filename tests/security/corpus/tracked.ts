import { accountDigits, grouped, ssnDigits, until } from './findings.ts'
import type { Random } from './random.ts'
import type { Sensitivity } from './sensitivity.ts'
import { codenames, notes } from './templates/leaks.ts'

/** A value that was scrubbed from an answer, and the field it stood in. */
export interface Tracked {
  readonly value: string
  readonly sensitivity: Sensitivity
  readonly entity: string
  readonly field: string
}

const two = (value: number): string => String(value).padStart(2, '0')
const capitals = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.pick([...'BCDFGHKLMNPRTVWX'])).join('')

// Invented; none of them is a word of another language that the replies use.
export const people: readonly string[] = [
  'Camille Moreauville',
  'Tobias Kessleride',
  'Ines Vasquelo',
  'Ravi Iyengarth',
  'Marta Novakovec',
  'Jonas Lindqvance',
  'Priya Ashgrovely',
  'Kenji Tanabori',
  'Anouk Castellux',
  'Farah Okonjare',
  'Henrik Storvane',
  'Wanda Thistlewick',
  'Yusuf Abernazzi',
  'Greta Brightmoor',
  'Linus Quillfeather',
  'Delphine Wickersley',
]
export const surnames: readonly string[] = people.map((person) => person.replace(/^\S+ /, ''))
export const forenames: readonly string[] = [
  'Oluwaseun',
  'Caspian',
  'Emeka',
  'Kaja',
  'Dmitri',
  'Noor',
  'Mateus',
  'Rose',
  'Bill',
  'May',
  'Grace',
  'Summer',
]

/** How each restricted field is filled. */
export const values: Readonly<Record<string, (random: Random) => string>> = {
  ssn: (random) => grouped(ssnDigits(random), [3, 2, 4], '-'),
  insurance_id: (random) =>
    `${capitals(random, 2)}${random.digits(3)}-${random.digits(4)}-${capitals(random, 1)}${random.digits(1)}`,
  passport_number: (random) => `${capitals(random, 2)}${random.between(1, 9)}${random.digits(6)}`,
  email: (random) =>
    `${random.pick(people).toLowerCase().replace(' ', '.')}@${random.pick(['tern-insurance', 'oakhurst', 'kestrelpaper'])}.example`,
  phone: (random) => `+1 ${random.between(201, 989)} 555 01${random.digits(2)}`,
  date_of_birth: (random) =>
    `${random.between(1941, 2005)}-${two(random.between(1, 12))}-${two(random.between(2, 27))}`,
  customer_key: (random) =>
    `CUS-${capitals(random, 2)}${random.digits(2)}-${random.digits(2)}${capitals(random, 2)}`,
  salary: (random) =>
    until(
      () => `${random.between(48, 198)},${random.digits(3)}`,
      (salary) => !salary.endsWith('00'),
    ),
  credit_limit: (random) =>
    `${random.between(11, 97)},${random.between(1, 9)}${random.digits(2)}.00`,
  bank_account: (random) => accountDigits(random, random.between(9, 12)),
  internal_notes: (random) => random.pick(notes),
  codename: (random) => random.pick(codenames),
  pin: (random) => String(random.between(2101, 9899)),
}

export function valueOf(field: string, random: Random): string {
  const make = values[field]
  if (make === undefined) throw new Error(`nothing fills the field ${field}`)
  return make(random)
}
