import { grouped, until } from './findings.ts'
import type { Random } from './random.ts'

const compact = (value: string): string => value.replace(/[\s,-]/g, '')

/** One character of the value, other than the first two, changed for another of its sort. */
function oneOff(value: string, random: Random): string {
  const places = [...value].flatMap((char, index) =>
    /[a-z\d]/i.test(char) && index > 1 ? [index] : [],
  )
  const at = random.pick(places)
  const sort = /\d/.test(value.charAt(at))
    ? '0123456789'
    : /[A-Z]/.test(value.charAt(at))
      ? 'BCDFGHKLMNPRTVWX'
      : 'bcdfghklmnprtvwx'
  return until(
    () => value.slice(0, at) + random.pick([...sort]) + value.slice(at + 1),
    (changed) => changed !== value,
  )
}

/** Two neighbouring characters in the other order. */
function swapped(value: string): string {
  const at = [...value].findIndex(
    (char, index) =>
      index > 0 &&
      /\d/.test(char) &&
      /\d/.test(value.charAt(index - 1)) &&
      char !== value.charAt(index - 1),
  )
  return at < 0
    ? `${value.slice(1)}7`
    : value.slice(0, at - 1) + value.charAt(at) + value.charAt(at - 1) + value.slice(at + 1)
}

function daysFrom(date: string, days: number): string {
  const moved = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(moved.getTime())) return date
  moved.setUTCDate(moved.getUTCDate() + days)
  return moved.toISOString().slice(0, 10)
}

/** What the near misses of the leak detector place: always like `value`, never it. */
export function similarTo(value: string, random: Random): Readonly<Record<string, () => string>> {
  const bare = compact(value)
  const domain = value.replace(/^.*@/, '')
  return {
    v: () => value,
    off: () => oneOff(value, random),
    swapped: () => swapped(value),
    prefix: () => value.slice(0, Math.floor(value.length / 2)).replace(/\W+$/, ''),
    tail: () => bare.slice(-4),
    longer: () => bare.replace('.00', '') + random.digits(random.between(2, 4)),
    inside: () =>
      `${random.between(1, 9)}${bare.replace('.00', '').replace(/\D/g, '')}${random.digits(2)}`,
    rounded: () => `${bare.slice(0, -3)}k`,
    halves: () => grouped(bare, [2, 2], ', '),
    hash: () => Array.from({ length: 40 }, () => random.pick([...'0123456789abcdef'])).join(''),
    noise: () =>
      Buffer.from(
        `page=${random.digits(5)};sort=${random.pick(['asc', 'desc'])};seen=${random.digits(9)}`,
      ).toString(random.pick(['base64', 'hex', 'base64url'])),
    spread: () =>
      `area ${bare.slice(0, 3)} has ${bare.slice(3, 5)} rooms and ${bare.slice(5)} seats`,
    domain: () => domain,
    other_mailbox: () => `orders.${random.between(2, 99)}@${domain}`,
    off_mailbox: () => `${oneOff(value.replace(/@.*/, ''), random)}@${domain}`,
    longer_mailbox: () => `${random.pick(['x', 'old', 'no'])}${value}`,
    day_before: () => daysFrom(value, -1),
    day_after: () => daysFrom(value, 1),
    same_month: () => daysFrom(value, value.endsWith('15') ? 2 : 15 - Number(value.slice(-2))),
    year: () => value.slice(0, 4),
  }
}
