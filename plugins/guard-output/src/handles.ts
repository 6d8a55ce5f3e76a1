import type { Withheld } from '@amodal/sdk'
import { REDACTED } from '@amodal/sdk'
import { filterLinks } from './loading/link-filter.ts'

const HANDLE = /\[redacted:[\w.-]{1,120}:[\da-f]{4,32}\]/g

/** Whether somebody with these roles may see a value all the same. */
export const mayHear = ({ roles }: Pick<Withheld, 'roles'>, own: readonly string[]): boolean =>
  roles?.some((role) => own.includes(role)) ?? false

/** A value is a stranger's text: no image of it is loaded. */
const NOTHING = { loads: () => false }

/** Handles give way to their values where the reader may see them, and to a mark where not. */
export function shown(
  text: string,
  withheld: readonly Withheld[],
  roles: readonly string[],
): string {
  if (!text.includes('[redacted:')) return text
  return text.replaceAll(HANDLE, (handle) => {
    const known = withheld.find((one) => one.handle === handle)
    return known && mayHear(known, roles) ? filterLinks(known.value, NOTHING) : REDACTED
  })
}
