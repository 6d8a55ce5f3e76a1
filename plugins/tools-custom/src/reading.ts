import type { AgentBundle, BundleFile, Secrets } from '@amodal/sdk'
import type { Issues } from '@amodal/sdk/files'
import type { CustomTool } from './custom-tool.ts'
import type { Definitions } from './definition-cache.ts'
import type { Handlers } from './handlers.ts'
import type { Isolation } from './isolation.ts'

/** What tools are read with, whatever the files. */
export interface ReadParts {
  readonly isolation: Isolation
  readonly handlers: Handlers
  readonly secrets: Secrets
  /** What code has said of its tool, by digest. */
  readonly definitions: Definitions
  /** Of the files in use. */
  readonly inUse: readonly CustomTool[]
}

/** One reading of all the tools of a bundle. */
export interface Reading extends ReadParts {
  readonly bundle: AgentBundle
  /** The real path of the folder that paths of the tool count from. */
  readonly root: string | undefined
  /** That folder relative to the agent's, of a tool that comes from a package. */
  readonly packageFolder?: string
  readonly shared: readonly BundleFile[]
  readonly issues: Issues
  readonly signal: AbortSignal
  readonly refer: (reference: AgentBundle['references'][number]) => void
}
