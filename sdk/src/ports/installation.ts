import { registry, type Failure, type Result } from '@amodal/kernel'
import type { Database, Row, Statement } from './database.ts'
import type { Checkup } from './health.ts'
import type { Sealer } from './sealer.ts'
import type { Secrets } from './secrets.ts'

/** The database as `amodal doctor` sees it: nothing was migrated, and each statement only reads. */
export interface ProbedDatabase {
  readonly dialect: Database['dialect']
  run(statement: Statement, signal: AbortSignal): Promise<Result<readonly Row[], Failure>>
}

/** What an installation is checked with. */
export interface InstallationContext {
  /** The agent folder. */
  readonly dir: string
  /** Secrets of the agent; absent where they cannot be read. */
  readonly secrets: Secrets | undefined
  /** Absent where the master key cannot be read. */
  readonly sealer: Sealer | undefined
  /** Absent if it cannot be reached, or is not checked. */
  readonly database: ProbedDatabase | undefined
  readonly signal: AbortSignal
}

/**
 * Checks of `amodal doctor` that look at what the agent is configured for, without starting it:
 * called on plugins that were set up and not booted.
 */
export const InstallationChecks =
  registry<(context: InstallationContext) => Promise<readonly Checkup[]>>('installation-checks')

/** What was found on the way into a database. */
export interface DatabaseProbe {
  readonly checkups: readonly Checkup[]
  readonly database: ProbedDatabase | undefined
  close(): Promise<void>
}

/** Ways into the configured database that change nothing in it. */
export const DatabaseProbes =
  registry<(context: Omit<InstallationContext, 'database'>) => Promise<DatabaseProbe>>(
    'database-probes',
  )
