import { isIP } from 'node:net'
import { isSecretName, type PersonalNumber } from '@amodal/sdk'
import type { SensitiveKind } from './stand-ins.ts'

/** A place in a text, and what stands there. */
export interface SensitiveSpan {
  readonly kind: SensitiveKind
  readonly start: number
  readonly end: number
}

export type FindNumbers = (text: string) => readonly PersonalNumber[] | undefined

const ADDRESS =
  /(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|(?=[\da-f:]*:[\da-f:]*:)[\da-f:]{2,39})(?![\w:]|\.\d)/gi
/** Without a country: the North American form, and those that begin with a zero. */
const NATIONAL =
  /(?<![\w.+-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w-])|(?<![\w.+-])\(?0\d{1,5}\)?[ /-]\d{3,8}(?:[ -]\d{2,5}){0,3}(?![\w-])/g
/** A JSON Web Token; what is behind `Bearer`; a prefix with a long part of letters and digits. */
const TOKEN =
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|(?<=\bbearer )[\w.~+/-]{12,}=*|\b[a-z][a-z\d]{1,11}[-_](?:[a-z\d]{1,16}[-_]){0,4}(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16,}\b/gi
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*KEY-----|$)/g
const LEAST_PHONE_DIGITS = 8
const LOCAL: ReadonlySet<string> = new Set(['127.0.0.1', '0.0.0.0', '::1', '::'])

/**
 * Places of a text that hold a secret by its form, or a number or an address of somebody.
 *
 * @param name of the field that it stands in: `account_no` says what its digits are
 * @returns in order and without overlaps; `undefined` where the text takes too much work
 */
export function sensitiveSpans(
  text: string,
  name: string,
  findNumbers: FindNumbers,
): readonly SensitiveSpan[] | undefined {
  const label = name === '' ? '' : `${name.slice(-LONGEST_NAME)}: `
  const numbers = findNumbers(label + text)
  if (!numbers) return undefined
  const found: readonly SensitiveSpan[] = [
    ...matches('secret', PRIVATE_KEY, text),
    ...matches('secret', TOKEN, text),
    ...numbers.flatMap(({ kind, start, end }) =>
      end <= label.length
        ? []
        : [{ kind, start: Math.max(0, start - label.length), end: end - label.length }],
    ),
    ...matches('ip_address', ADDRESS, text).filter(({ start, end }) => {
      const address = text.slice(start, end)
      return isIP(address) !== 0 && !LOCAL.has(address)
    }),
    ...matches('phone', NATIONAL, text).filter(
      ({ start, end }) => text.slice(start, end).replaceAll(/\D/g, '').length >= LEAST_PHONE_DIGITS,
    ),
  ]
  return separate(found)
}

const LONGEST_NAME = 160

const matches = (kind: SensitiveKind, pattern: RegExp, text: string): readonly SensitiveSpan[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
    kind,
    start: index,
    end: index + found.length,
  }))

/** Of those that overlap, the longest of the earliest. */
export function separate(found: readonly SensitiveSpan[]): readonly SensitiveSpan[] {
  const apart: SensitiveSpan[] = []
  for (const one of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = apart.at(-1)
    if (!last || one.start >= last.end) apart.push(one)
    else if (one.end > last.end) apart[apart.length - 1] = { ...last, end: one.end }
  }
  return apart
}

/** Whether the last words of a name say that its value is a secret: not those of `token_type`. */
export function namesSecret(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  const [before = '', last = ''] = words.length > 1 ? words.slice(-2) : ['', ...words]
  return isSecretName(last) || (!isSecretName(before) && isSecretName(`${before} ${last}`))
}
