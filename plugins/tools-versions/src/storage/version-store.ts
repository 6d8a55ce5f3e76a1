import { err, ok, timeLimit, type Failure, type Result, type TenantDatabase } from '@amodal/sdk'
import { runIn, runQuery } from '@amodal/sdk/database'
import {
  OrgToolDeprecated,
  VariableMissing,
  VersionDeprecated,
  VersionNotFound,
} from '../errors.ts'
import {
  compareVersions,
  parseVersion,
  versionText,
  type Constraint,
  type VersionNumber,
} from '../versions.ts'
import { inProgress, STATEMENT_MS, type Operation } from './operations.ts'
import type { VersionRow } from '../tables.ts'
import { pageOf, type Page } from './tool-store.ts'
import { DEPRECATE_TOOL, END_OPERATION, LOCK_OPERATION, VARIABLES } from './tool-statements.ts'
import { flat } from './variable-store.ts'
import {
  ADD_ARCHIVE,
  ADD_VERSION,
  DEPRECATE_VERSIONS,
  FIND_ARCHIVE,
  FIND_VERSION,
  FIND_VERSIONS,
  PUBLISHED_VERSIONS,
  VERSION_NUMBERS,
  VERSION_TEXTS,
  type NewVersion,
} from './version-statements.ts'

type Outcome<T> = Promise<Result<T, Failure>>

export interface VersionOrder {
  readonly by: 'created_at' | 'version' | 'major' | 'minor' | 'patch' | 'deprecated'
  readonly direction: 'asc' | 'desc'
}
export interface VersionFilter {
  readonly deprecated: boolean | undefined
  readonly constraint: Constraint | undefined
  /** Principals; empty: all. */
  readonly creators: readonly string[]
  readonly order: readonly VersionOrder[]
}

export interface PublishedVersion extends VersionNumber {
  readonly name: string
  /** Id of the tool. */
  readonly tool: string
}

interface NumberedRow extends VersionNumber {
  readonly creator: string
  readonly deprecated: boolean
  readonly created_at: Date
}

/** Versions of the tools of one tenant. */
export class VersionStore {
  readonly #database: TenantDatabase

  constructor(database: TenantDatabase) {
    this.#database = database
  }

  async list(
    tool: string,
    filter: VersionFilter,
    { limit, offset }: { readonly limit: number; readonly offset: number },
    signal: AbortSignal,
  ): Outcome<Page<VersionRow>> {
    const numbers = await this.#numbers(tool, signal)
    if (!numbers.ok) return numbers
    const chosen = numbers.value
      .filter((one) => fits(one, filter))
      .toSorted((a, b) => compareBy(filter.order, a, b))
      .slice(offset, offset + limit + 1)
    const page = pageOf(chosen, limit)
    const rows = await runQuery(
      this.#database,
      FIND_VERSIONS({ tool, numbers: JSON.stringify(page.items.map(numberOf)) }),
      timeLimit(STATEMENT_MS, 'reading versions', signal),
    )
    if (!rows.ok) return rows
    const byNumber = new Map(rows.value.map((row) => [versionText(row), row]))
    const items = page.items.flatMap((one) => byNumber.get(versionText(one)) ?? [])
    return ok({ items, hasMore: page.hasMore })
  }

  async find(tool: string, number: VersionNumber, signal: AbortSignal): Outcome<VersionRow> {
    const { major, minor, patch } = number
    const rows = await runQuery(
      this.#database,
      FIND_VERSION({ tool, major, minor, patch }),
      timeLimit(STATEMENT_MS, 'reading a version', signal),
    )
    if (!rows.ok) return rows
    const [row] = rows.value
    return row ? ok(row) : err(VersionNotFound(`there is no version ${versionText(number)}`))
  }

  /** A version that may be invoked. */
  async findActive(tool: string, text: string, signal: AbortSignal): Outcome<VersionRow> {
    const number = parseVersion(text)
    if (!number)
      return err(
        VersionNotFound(`${JSON.stringify(text)} is no number of a version, such as 1.0.0`),
      )
    const version = await this.find(tool, number, signal)
    return version.ok && version.value.deprecated
      ? err(VersionDeprecated(`version ${text} is deprecated`))
      : version
  }

  /** The highest number there is, deprecated or not. */
  async latest(tool: string, signal: AbortSignal): Outcome<VersionRow | undefined> {
    const numbers = await this.#numbers(tool, signal)
    if (!numbers.ok) return numbers
    const last = numbers.value.toSorted(compareVersions).at(-1)
    return last ? this.find(tool, last, signal) : ok(undefined)
  }

  async archive(hash: string): Outcome<Uint8Array> {
    const limit = timeLimit(STATEMENT_MS, 'reading the code of a version')
    const rows = await runQuery(this.#database, FIND_ARCHIVE({ hash }), limit)
    if (!rows.ok) return rows
    const [row] = rows.value
    return row
      ? ok(row.bytes)
      : err(VersionDeprecated('its code was removed, since it has been deprecated for long'))
  }

  /** Numbers that fit a constraint, of one tool or of all. */
  async fitting(
    tool: string | undefined,
    constraint: Constraint,
    signal: AbortSignal,
  ): Outcome<readonly string[]> {
    const rows = await runQuery(
      this.#database,
      VERSION_TEXTS({ tool: tool ?? null }),
      timeLimit(STATEMENT_MS, 'reading versions', signal),
    )
    return rows.ok ? ok(rows.value.map(({ version }) => version).filter(constraint)) : rows
  }

  /** Versions of tools with these names, without those that are deprecated or of such a tool. */
  published(names: readonly string[], signal: AbortSignal): Outcome<readonly PublishedVersion[]> {
    return runQuery(
      this.#database,
      PUBLISHED_VERSIONS({ names }),
      timeLimit(STATEMENT_MS, 'reading versions', signal),
    )
  }

  /** Adds a version, and ends the operation that publishes it, in one transaction. */
  add(
    row: NewVersion,
    required: readonly string[],
    bytes: Uint8Array,
    operation: Operation,
  ): Outcome<VersionRow> {
    const { tool, id } = operation
    return this.#database
      .transaction(
        async (run): Outcome<VersionRow> => {
          const [locked] = await runIn(run, LOCK_OPERATION({ id: tool, operation: id }))
          if (!locked) return err(inProgress())
          if (locked.deprecated) return err(OrgToolDeprecated('the tool is deprecated'))
          const variables = await runIn(run, VARIABLES({ tool }))
          const missing = missingVariables(required, variables)
          if (missing) return err(missing)
          await runIn(run, ADD_ARCHIVE({ hash: row.archive, bytes }))
          const [added] = await runIn(run, ADD_VERSION(row))
          await runIn(run, END_OPERATION({ id: tool, operation: id }))
          return added ? ok(added) : err(inProgress())
        },
        timeLimit(STATEMENT_MS, 'storing a version', operation.signal),
      )
      .then(flat)
  }

  /**
   * Deprecates the versions that fit, or the tool with all of them where there is no constraint.
   *
   * @returns `VERSION_NOT_FOUND` where none fits
   */
  async deprecate(constraint: Constraint | undefined, operation: Operation): Outcome<void> {
    const { tool, id, signal } = operation
    const numbers = await this.#numbers(tool, signal)
    if (!numbers.ok) return numbers
    const fitting = numbers.value.filter((one) => constraint?.(versionText(one)) ?? true)
    if (constraint && fitting.length === 0)
      return err(VersionNotFound('no version fits this constraint'))
    const chosen = JSON.stringify(fitting.map(numberOf))
    return this.#database
      .transaction(
        async (run): Outcome<void> => {
          const locked = await runIn(run, LOCK_OPERATION({ id: tool, operation: id }))
          if (locked.length === 0) return err(inProgress())
          if (!constraint) await runIn(run, DEPRECATE_TOOL({ id: tool }))
          await runIn(run, DEPRECATE_VERSIONS({ tool, numbers: chosen }))
          return ok(undefined)
        },
        timeLimit(STATEMENT_MS, 'deprecating versions', signal),
      )
      .then(flat)
  }

  #numbers(tool: string, signal: AbortSignal): Outcome<readonly NumberedRow[]> {
    return runQuery(
      this.#database,
      VERSION_NUMBERS({ tool }),
      timeLimit(STATEMENT_MS, 'reading versions', signal),
    )
  }
}

/** `VARIABLE_MISSING` where not all names are there. */
export function missingVariables(
  required: readonly string[],
  present: readonly { readonly name: string }[],
): Failure | undefined {
  const missing = required.filter((name) => present.every((one) => one.name !== name))
  return missing.length === 0
    ? undefined
    : VariableMissing(`the tool lacks environment variables: ${missing.join(', ')}`)
}

const numberOf = ({ major, minor, patch }: VersionNumber): VersionNumber => ({
  major,
  minor,
  patch,
})

const fits = (row: NumberedRow, { deprecated, constraint, creators }: VersionFilter): boolean =>
  (deprecated === undefined || row.deprecated === deprecated) &&
  (creators.length === 0 || creators.includes(row.creator)) &&
  (constraint?.(versionText(row)) ?? true)

function compareBy(order: readonly VersionOrder[], a: NumberedRow, b: NumberedRow): number {
  for (const { by, direction } of order) {
    const difference = compareField(by, a, b)
    if (difference !== 0) return direction === 'asc' ? difference : -difference
  }
  return -compareVersions(a, b)
}

function compareField(by: VersionOrder['by'], a: NumberedRow, b: NumberedRow): number {
  switch (by) {
    case 'version':
      return compareVersions(a, b)
    case 'created_at':
      return a.created_at.getTime() - b.created_at.getTime()
    case 'deprecated':
      return Number(a.deprecated) - Number(b.deprecated)
    case 'major':
    case 'minor':
    case 'patch':
      return a[by] - b[by]
  }
}
