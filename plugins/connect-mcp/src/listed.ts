import type { StandardSchemaV1Sync } from '@modelcontextprotocol/client'

/** Reads one page; without a cursor the first. */
export type Pages = (
  cursor: string | undefined,
) => Promise<{ readonly items: readonly unknown[]; readonly next?: string | undefined }>
export type ItemSchema<T> = StandardSchemaV1Sync<unknown, T>

export interface Listed<T> {
  readonly items: readonly T[]
  /** There are more than the most. */
  readonly more: boolean
}

const MAX_PAGES = 100

/** A whole list of a server, page by page, as far as `most`. */
export async function listed<T>(
  pages: Pages,
  schema: ItemSchema<T>,
  most: number,
): Promise<Listed<T>> {
  const items: T[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  do {
    const page = await pages(cursor)
    for (const item of page.items) {
      const read = schema['~standard'].validate(item)
      // what does not fit was left out, and reported, when the response was read
      if (!read.issues) items.push(read.value)
    }
    cursor = page.next
    // The same place again, or no end in sight: what is known by then counts.
    if (cursor !== undefined && (cursors.has(cursor) || cursors.size >= MAX_PAGES))
      return { items: items.slice(0, most), more: true }
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined && items.length <= most)
  return { items: items.slice(0, most), more: items.length > most }
}
