import type { AccessTier, VerdictLevel } from '@amodal/sdk'

const ORDER: Readonly<Record<AccessTier, number>> = { allow: 0, confirm: 1, review: 2, never: 3 }

export const isStricter = (one: AccessTier, other: AccessTier): boolean => ORDER[one] > ORDER[other]
export const stricter = (one: AccessTier, other: AccessTier): AccessTier =>
  isStricter(other, one) ? other : one

/** The verdict level of a tier. */
export const levelOf = (tier: AccessTier): VerdictLevel => (tier === 'never' ? 'deny' : tier)
