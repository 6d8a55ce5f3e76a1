import { sql } from '@amodal/sdk/database'

/**
 * Between the entries of a row: the record separator, as in RFC 7464: in JSON it occurs only
 * escaped.
 */
export const SEPARATOR = '\u001e'

/** Entries of the row `r` of the journal, each with its number. */
export const ENTRIES_OF_ROW = sql`
  select r.seq - cardinality(b.parts) + e.n seq, e.body, nullif(e.sealed, '') sealed
  from (select string_to_array(r.body, chr(30)) parts) b
  cross join lateral unnest(b.parts, string_to_array(r.sealed, chr(30))) with ordinality e(body, sealed, n)`
