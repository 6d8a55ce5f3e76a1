import type { Json } from '@amodal/kernel'
import { isObject } from '../json.ts'
import { parseExact } from '../data/index.ts'
import { SUBAGENT_META, type SessionRow } from '../ports/session-store.ts'

/**
 * Whether a session is that of a sub-agent, which is in no list: its conversation is inside of that
 * of its parent. A fork that a person made has a parent, too.
 *
 * @example
 * if (isSubagentSession(view.row)) await client.session(view.row.parent)
 */
export function isSubagentSession<R extends Pick<SessionRow, 'parent' | 'forkedAt' | 'meta'>>(
  row: R,
): row is R & { readonly parent: NonNullable<R['parent']> } {
  if (row.parent === undefined || row.forkedAt !== 0) return false
  const meta = parseExact(row.meta) as Json // written by `send` and `update`
  return isObject(meta) && typeof meta[SUBAGENT_META] === 'string'
}
