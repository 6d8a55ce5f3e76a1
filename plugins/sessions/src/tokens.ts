// What other plugins may import: relations of SQL over stored sessions.
import { slot } from '@amodal/sdk'
import type { RawBuilder } from '@amodal/sdk/database'

type Relation = RawBuilder<unknown>

/**
 * Parts of SQL with which a plugin finds, in one statement, the sessions of which rows of its own
 * are missing. They are for `from`, in brackets and with an alias; those with parameters, which may
 * be columns, for `lateral` joins. The tables behind them belong to the plugin `sessions`.
 *
 * @example
 * sql`select s.session from usage_tenant t
 *   cross join lateral (${relations.changed({ tenant: sql`t.tenant`, since })}) s`
 */
export interface SessionRelations {
  /** `tenant`: of every session. One step along an index for each tenant. */
  readonly tenants: Relation
  /**
   * `at`: ms since the epoch, at most five minutes before the last change of any session; null
   * where there is none. One step along an index for each tenant.
   */
  readonly lastChange: Relation
  /**
   * `session`, `lane` (its number), `head` (of its last entry) and `forked_at` (in a fork,
   * and in the session of a sub-agent: its own entries come behind this one): sessions of a tenant
   * that changed since then. Expired ones are left out, which have no entries.
   *
   * @param of `since`: ms since the epoch, on the clock of the database
   */
  readonly changed: (of: {
    readonly tenant: RawBuilder<string>
    readonly since: RawBuilder<number>
  }) => Relation
  /**
   * Entries of a session, those of a fork's parent left out: `seq`, `run`, `kind`, `id` of the
   * call or question that it names behind its kind, and `body`, the JSON of the entry. `run` and
   * `kind` are null in an entry that does not begin as this release writes it.
   *
   * The entries since then, commit by commit, and those of the commit before.
   *
   * @param of `since`: ms since the epoch, on the clocks of the instances
   */
  readonly newestEntries: (of: {
    readonly lane: RawBuilder<number>
    readonly since: RawBuilder<number>
  }) => Relation
  /** The same columns: the entries behind this one. */
  readonly entriesBehind: (of: {
    readonly lane: RawBuilder<number>
    readonly seq: RawBuilder<number>
  }) => Relation
}

/** There where sessions are stored in the database. */
export const SessionRelations = slot.kernel<SessionRelations>('session-relations')
