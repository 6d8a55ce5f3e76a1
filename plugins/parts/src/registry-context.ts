import type { Outbound } from '@amodal/sdk'

/** What a registry is asked with. */
export interface RegistryContext {
  /** The agent folder, whose .npmrc counts. */
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly outbound: Outbound
  /** Nothing is fetched: only tarballs that were fetched before are there. */
  readonly offline: boolean
}
