import { REDACTED, type RedactedValue } from '@amodal/sdk'

const HANDLE = /\[redacted:[\w.-]{1,120}:[\da-f]{4,32}\]/g
/** What Markdown or HTML could make something of that loads or leads elsewhere. */
const MARKUP = /[<![\]]/g

/** Whether these roles may see a redacted value. */
export const mayRead = ({ roles }: Pick<RedactedValue, 'roles'>, own: readonly string[]): boolean =>
  roles?.some((role) => own.includes(role)) ?? false

/**
 * Replaces redaction handles by their values if the reader may see them, else by a mark. A value is
 * untrusted text: markup in it stands for itself.
 */
export function resolveHandles(
  text: string,
  redacted: readonly RedactedValue[],
  roles: readonly string[],
): string {
  if (!text.includes('[redacted:')) return text
  return text.replaceAll(HANDLE, (handle) => {
    const known = redacted.find((one) => one.handle === handle)
    return known && mayRead(known, roles) ? known.value.replaceAll(MARKUP, '\\$&') : REDACTED
  })
}

/** Moves a place out of a handle, which leaves in one piece: readers may see different texts. */
export function beforeHandle(text: string, place: number): number {
  const start = text.lastIndexOf('[redacted:', place - 1)
  const end = start < 0 ? -1 : text.indexOf(']', start)
  return start >= 0 && (end === -1 || end >= place) && place - start < LONGEST_HANDLE
    ? start
    : place
}

const LONGEST_HANDLE = 170
