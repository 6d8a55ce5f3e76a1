import {
  err,
  ok,
  sessionId,
  timeLimit,
  type Failure,
  type Result,
  type Sealer,
  type SessionRef,
  type TenantDatabase,
  type TenantId,
} from '@amodal/sdk'
import { runIn, runQuery } from '@amodal/sdk/database'
import { VariableInUse, VariableNotFound } from '../errors.ts'
import { SecretMask } from '../running/secret-mask.ts'
import { versionText } from '../versions.ts'
import { STATEMENT_MS } from './operations.ts'
import { LOCK_TOOL, PUT_VARIABLE, REMOVE_VARIABLE, VARIABLES } from './tool-statements.ts'
import { VERSIONS_WITH_VARIABLE } from './version-statements.ts'

type Outcome<T> = Promise<Result<T, Failure>>

export interface Variable {
  readonly name: string
  readonly secret: boolean
  /** `null` where it is a secret. */
  readonly value: string | null
  readonly updatedAt: Date
}

/** What code of a tool gets as `config`, and what hides its secrets. */
export interface ToolVariables {
  readonly config: Readonly<Record<string, string>>
  readonly mask: SecretMask
}

interface Parts {
  readonly tenant: TenantId
  readonly database: TenantDatabase
  readonly sealer: Sealer
}

/** Environment variables of the tools of one tenant. Secrets are sealed under the master key. */
export class VariableStore {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async put(
    tool: string,
    {
      name,
      value,
      secret,
    }: { readonly name: string; readonly value: string; readonly secret: boolean },
    signal: AbortSignal,
  ): Outcome<Variable> {
    const { database, sealer } = this.#parts
    const stored = secret ? sealer.seal(this.#placeOf(tool, name), value) : ok(value)
    if (!stored.ok) return stored
    const rows = await runQuery(
      database,
      PUT_VARIABLE({ tool, name, secret, value: stored.value }),
      timeLimit(STATEMENT_MS, 'storing a variable', signal),
    )
    if (!rows.ok) return rows
    const updatedAt = rows.value[0]?.updated_at ?? new Date(0)
    return ok({ name, secret, value: secret ? null : value, updatedAt })
  }

  async list(tool: string, signal: AbortSignal): Outcome<readonly Variable[]> {
    const rows = await this.#rows(tool, signal)
    return rows.ok
      ? ok(
          rows.value.map(({ name, secret, value, updated_at: updatedAt }) => ({
            name,
            secret,
            value: secret ? null : value,
            updatedAt,
          })),
        )
      : rows
  }

  /** All values, for code of the tool. */
  async open(tool: string, signal: AbortSignal): Outcome<ToolVariables> {
    const rows = await this.#rows(tool, signal)
    if (!rows.ok) return rows
    const config: Record<string, string> = {}
    const secrets: string[] = []
    for (const { name, secret, value } of rows.value) {
      const opened = secret ? this.#parts.sealer.open(this.#placeOf(tool, name), value) : ok(value)
      if (!opened.ok) return opened
      config[name] = opened.value
      if (secret) secrets.push(opened.value)
    }
    return ok({ config, mask: new SecretMask(secrets) })
  }

  /** @returns `VARIABLE_IN_USE` where a version that is not deprecated requires it */
  remove(tool: string, name: string, signal: AbortSignal): Outcome<void> {
    return this.#parts.database
      .transaction(
        async (run): Outcome<void> => {
          // a version that is being published is there before, or sees that the variable is not
          await runIn(run, LOCK_TOOL({ id: tool }))
          const [version, ...more] = await runIn(run, VERSIONS_WITH_VARIABLE({ tool, name }))
          if (version) {
            const others = more.length > 0 ? ` and ${more.length} more` : ''
            return err(VariableInUse(`${name} is required by ${versionText(version)}${others}`))
          }
          const removed = await runIn(run, REMOVE_VARIABLE({ tool, name }))
          return removed.length > 0
            ? ok(undefined)
            : err(VariableNotFound(`the tool has no variable ${name}`))
        },
        timeLimit(STATEMENT_MS, 'removing a variable', signal),
      )
      .then(flat)
  }

  #rows(tool: string, signal: AbortSignal) {
    return runQuery(
      this.#parts.database,
      VARIABLES({ tool }),
      timeLimit(STATEMENT_MS, 'reading variables', signal),
    )
  }

  /** A text opens under the tool and the name that it was sealed for. */
  #placeOf(tool: string, name: string): SessionRef {
    return { tenant: this.#parts.tenant, session: sessionId(`tools-versions:${tool}:${name}`) }
  }
}

/** The outcome of a transaction whose work has one of its own. */
export const flat = <T>(outcome: Result<Result<T, Failure>, Failure>): Result<T, Failure> =>
  outcome.ok ? outcome.value : outcome
