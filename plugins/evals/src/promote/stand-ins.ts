import { isIPv6 } from 'node:net'
import type { PersonalNumber } from '@amodal/sdk'

/** What is replaced in a case: `private` is the value of a field that access rules restrict. */
export type SensitiveKind = PersonalNumber['kind'] | 'ip_address' | 'secret' | 'private'

const IBAN_COUNTRY = 'DE'
const IBAN_BANK = '50010517'
/** Networks for documentation (RFC 5737, RFC 3849). */
const NETWORKS = ['192.0.2', '198.51.100', '203.0.113'] as const
const MOST_HOSTS = 254

/**
 * Values that stand in for sensitive ones: of the same kind, and the same one for the same value,
 * however it is grouped. Addresses and numbers are those that are set aside for examples.
 */
export class StandIns {
  readonly #numbers = new Map<string, number>()
  readonly #counts = new Map<SensitiveKind, number>()

  /**
   * @param value as it is written; the stand-in is written alike
   * @example
   * standIns.of('email', 'Ann@Acme.com') // 'person1@example.com'
   */
  of(kind: SensitiveKind, value: string): string {
    return standIn(kind, this.#numberOf(kind, plainForm(kind, value)), value)
  }

  #numberOf(kind: SensitiveKind, plain: string): number {
    const name = `${kind}\n${plain}`
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, number)
    this.#numbers.set(name, number)
    return number
  }
}

/** What two spellings of one value have in common. */
export function plainForm(kind: SensitiveKind, value: string): string {
  switch (kind) {
    case 'phone':
    case 'card':
    case 'ssn':
    case 'bank_account':
      return value.replaceAll(/\D/g, '') || value
    case 'iban':
      return value.replaceAll(/[^A-Za-z\d]/g, '').toUpperCase()
    case 'email':
    case 'ip_address':
    case 'private':
      return value.toLowerCase()
    case 'secret':
      return value
  }
}

function standIn(kind: SensitiveKind, number: number, value: string): string {
  switch (kind) {
    case 'email':
      return `person${number}@example.com`
    case 'phone':
      return phone(number, value)
    case 'card':
      return grouped(cardNumber(number), value)
    case 'iban':
      return grouped(iban(number), value)
    case 'ssn':
      return digitsLike(value, `9${String(number).padStart(8, '0')}`)
    case 'bank_account':
      return digitsLike(value, ownDigits(value, number))
    case 'ip_address':
      return address(number, value)
    case 'secret':
      return `secret-${number}`
    case 'private':
      return /^\d+$/.test(value) ? ownDigits(value, number) : `private-${number}`
  }
}

/** Of the numbers from +1-555-0100 on, which belong to nobody. */
function phone(number: number, value: string): string {
  const local = String(99 + number).padStart(4, '0')
  const plus = value.trimStart().startsWith('+') ? '+' : ''
  return /\d\D+\d/.test(value) ? `${plus}1-555-${local}` : `${plus}1555${local}`
}

/** The test number of Visa, and others beside it. */
function cardNumber(number: number): string {
  const digits = number === 1 ? '411111111111111' : `4111111111${String(number).padStart(5, '0')}`
  const sum = [...digits].reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

function iban(number: number): string {
  const account = `${IBAN_BANK}${String(number).padStart(10, '0')}`
  const letters = [...IBAN_COUNTRY].map((letter) => letter.charCodeAt(0) - 55).join('')
  const check = 98n - (BigInt(`${account}${letters}00`) % 97n)
  return `${IBAN_COUNTRY}${String(check).padStart(2, '0')}${account}`
}

/** In groups of four, where the value has groups. */
function grouped(compact: string, value: string): string {
  const [, sign] = /[A-Za-z\d]([ .\-/_])[A-Za-z\d]/.exec(value) ?? []
  return sign === undefined ? compact : (compact.match(/.{1,4}/g) ?? []).join(sign)
}

/** As many digits as the value has; the first is none that gets lost in a number. */
function ownDigits(value: string, number: number): string {
  const { length } = value.replaceAll(/\D/g, '')
  return `1${String(number).padStart(Math.max(1, length - 1), '0')}`.slice(0, Math.max(1, length))
}

/** The digits in the places of those of the value. */
function digitsLike(value: string, digits: string): string {
  let at = 0
  const like = value.replaceAll(/\d/g, () => digits.charAt(at++))
  return at === digits.length ? like : digits
}

function address(number: number, value: string): string {
  if (isIPv6(value)) return `2001:db8::${number.toString(16)}`
  const network = NETWORKS[Math.floor((number - 1) / MOST_HOSTS) % NETWORKS.length] ?? NETWORKS[0]
  return `${network}.${((number - 1) % MOST_HOSTS) + 1}`
}
