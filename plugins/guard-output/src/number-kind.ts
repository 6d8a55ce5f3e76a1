import type { Span } from './span.ts'

/** What is recognised by its form, by check digits or by a label. */
export const KINDS = ['ssn', 'card', 'iban', 'bank_account', 'email', 'phone'] as const
export type NumberKind = (typeof KINDS)[number]

/** The kinds that are looked for unless the configuration names others. */
export const DEFAULT_KINDS: readonly NumberKind[] = ['ssn', 'card', 'iban', 'bank_account']

export interface NumberMatch extends Span {
  readonly kind: NumberKind
}
