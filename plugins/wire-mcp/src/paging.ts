import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'

export interface PageOf<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string
}

/** One page of a list. The cursor is opaque to clients: where the next page begins. */
export function pageOf<T>(
  all: readonly T[],
  cursor: string | undefined,
  size: number,
): Result<PageOf<T>, Failure> {
  const from = cursor === undefined ? 0 : placeOf(cursor)
  if (from === undefined || from > all.length)
    return err(failure('VALIDATION_ERROR', 'cursor: is none that this server gave'))
  const items = all.slice(from, from + size)
  const next = from + items.length
  return ok({
    items,
    ...(next < all.length && { nextCursor: Buffer.from(`at:${next}`).toString('base64url') }),
  })
}

function placeOf(cursor: string): number | undefined {
  const [, digits] = /^at:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return digits === undefined ? undefined : Number(digits)
}
