import type { Failure, KnowledgeDocument, Result, RunContext, ToolContext } from '@amodal/sdk'

/** A document as it is proposed. `category` is one tag. */
export interface Proposed extends Pick<KnowledgeDocument, 'name' | 'title' | 'body'> {
  readonly category?: string
}

/** Where documents go that a person has approved. */
export interface Shelf {
  /** Whose knowledge they become: the agent's, with all its tenants, or the tenant's alone. */
  readonly scope: 'agent' | 'tenant'
  /** Whether a document of this name is there, to be replaced or removed. */
  has(name: string, ctx: RunContext): Promise<boolean>
  /** A document of this name is replaced. */
  put(document: Proposed, ctx: ToolContext): Promise<Result<void, Failure>>
  /** `false`: there was none. */
  remove(name: string, ctx: ToolContext): Promise<Result<boolean, Failure>>
}

/** Parts of small letters, digits, `-` and `_`, which no file system takes for anything else. */
export const NAME = /^[a-z0-9][a-z0-9_-]{0,63}(\/[a-z0-9][a-z0-9_-]{0,63}){0,3}$/
