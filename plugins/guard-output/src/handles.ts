import type { RedactedValue } from '@amodal/sdk'
import { REDACTED } from '@amodal/sdk'
import { filterLinks } from './loading/link-filter.ts'

const HANDLE = /\[redacted:[\w.-]{1,120}:[\da-f]{4,32}\]/g

/** Whether these roles may see a redacted value. */
export const mayRead = ({ roles }: Pick<RedactedValue, 'roles'>, own: readonly string[]): boolean =>
  roles?.some((role) => own.includes(role)) ?? false

/** A value is untrusted text: images in it are removed. */
const NOTHING = { loads: () => false }

/** Replaces redaction handles by their values if the reader may see them, else by a mark. */
export function resolveHandles(
  text: string,
  redacted: readonly RedactedValue[],
  roles: readonly string[],
): string {
  if (!text.includes('[redacted:')) return text
  return text.replaceAll(HANDLE, (handle) => {
    const known = redacted.find((one) => one.handle === handle)
    return known && mayRead(known, roles) ? filterLinks(known.value, NOTHING) : REDACTED
  })
}
