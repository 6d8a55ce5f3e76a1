import type { RuntimeSettings } from '@amodal/plugin-loop'
import type { Entry, KernelOptions, StartError } from '@amodal/sdk'
import type { WiringFailure } from './read.ts'

export interface FolderOptions {
  /** Folder of the agent. */
  readonly dir: string
  /** The folder in whose `.amodal` data is kept, with the `.env`; `dir` where it is left out. */
  readonly stateDir?: string
  /** Stands for the environment of the process. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Wins over the one that amodal.json names; `dev` where neither does. */
  readonly preset?: string
  /** The preset where neither the command line nor the folder names one: `dev` if left out. */
  readonly otherwise?: string
  readonly port?: number
  readonly host?: string
  /** Of `log-json`, where that is listed. */
  readonly logLevel?: string
  /** Plugins to leave out, where they are listed. */
  readonly without?: readonly string[]
  /**
   * Keeps sessions, documents and keys in memory: a look at the agent must not wait for whoever
   * holds its data.
   */
  readonly inMemory?: boolean
  /** Put last, so they win. */
  readonly entries?: readonly Entry[]
  readonly settings?: Partial<RuntimeSettings>
}

export type FolderError = StartError | { readonly kind: 'config'; readonly failure: WiringFailure }

/** What a folder is wired with: its preset, its own plugins, what the command line says. */
export interface Folder {
  readonly preset: string
  readonly entries: readonly Entry[]
  readonly options: KernelOptions
}
