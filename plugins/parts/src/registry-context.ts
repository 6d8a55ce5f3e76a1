/** What a registry is asked with. */
export interface RegistryContext {
  /** The agent folder, whose .npmrc counts. */
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Nothing is fetched: only tarballs that were fetched before are there. */
  readonly offline: boolean
}
