import { z } from 'zod'

/**
 * A backup is a gzip file of lines of JSON: {@link Header}; for each table {@link TableStart}, a
 * line with an array of texts for each row, and {@link TableEnd}; last {@link Checksum}. Values are
 * the text that PostgreSQL writes for them, so a row needs no knowledge of its types.
 */
export const FORMAT = 1

const Name = z.string().min(1).max(63)

const RecordedMigration = z.object({
  plugin: z.string(),
  n: z.number().int().min(1),
  name: z.string(),
  checksum: z.string(),
})
export type RecordedMigration = z.output<typeof RecordedMigration>

export const Header = z.object({
  amodal: z.literal('backup'),
  format: z.number().int(),
  /** The version that made it. */
  runtime: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  dialect: z.enum(['pglite', 'postgres']),
  migrations: z.array(RecordedMigration),
  tables: z.array(z.object({ name: Name, plugin: z.string(), rows: z.number().int() })),
})
export type Header = z.output<typeof Header>

export const TableStart = z.strictObject({ table: Name, columns: z.array(Name) })
export type TableStart = z.output<typeof TableStart>

/** The last value that the sequence of a column has given, as text: it may have 64 bits. */
const Sequence = z.object({ column: Name, last: z.string().regex(/^-?\d+$/) })
export type Sequence = z.output<typeof Sequence>

export const TableEnd = z.strictObject({
  end: Name,
  rows: z.number().int(),
  /** Of the lines of its rows, each with its line break. */
  sha256: z.string(),
  sequences: z.array(Sequence),
})
export type TableEnd = z.output<typeof TableEnd>

/** Of everything before it. */
export const Checksum = z.strictObject({ checksum: z.string() })

/** A row: a text for each column, in the order of {@link TableStart}. */
export const RowLine = z.array(z.string().nullable())
