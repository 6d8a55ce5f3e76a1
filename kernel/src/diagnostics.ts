import type { PluginError, PluginPhase, Code } from './errors.ts'
import type { ValueChange } from './hooks/trace.ts'

/** A failure as it is kept and shown: plain, so that it holds on to nothing. */
export interface RecordedError { readonly at: number; readonly plugin: string; readonly phase: PluginPhase; readonly where: string; readonly code: Code; readonly message: string }

const MOST_ERRORS = 50
const MOST_CHANGES = 200

/** What one kernel remembers of failures and value changes, across its generations. */
export class Diagnostics {
  readonly errors: RecordedError[] = []
  readonly changes: ValueChange[] = []
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  failed({ plugin, phase, where, code, message }: PluginError): void {
    this.errors.push({ at: this.#now(), plugin, phase, where, code, message })
    if (this.errors.length > MOST_ERRORS) this.errors.shift()
  }

  changed(change: ValueChange): void {
    this.changes.push(change)
    if (this.changes.length > MOST_CHANGES) this.changes.shift()
  }
}
