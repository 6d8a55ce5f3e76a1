import type { Failure, KnowledgeDocument, Result, RunContext, ToolContext } from '@amodal/sdk'

/** A document as it is proposed. `category` is one tag. */
export interface Proposed extends Pick<KnowledgeDocument, 'name' | 'title' | 'body'> {
  readonly category?: string
}

/** Storage of approved documents. */
export interface Shelf {
  /** Whether documents apply to all tenants of the agent, or to one tenant. */
  readonly scope: 'agent' | 'tenant'
  /** Whether a document of this name is there, to be replaced or removed. */
  has(name: string, ctx: RunContext): Promise<boolean>
  /** A document of this name is replaced. */
  put(document: Proposed, ctx: ToolContext): Promise<Result<void, Failure>>
  /** `false`: there was none. */
  remove(name: string, ctx: ToolContext): Promise<Result<boolean, Failure>>
}

/** Segments of small letters, digits, `-` and `_`, which are safe in every file system. */
export const NAME = /^[a-z0-9][a-z0-9_-]{0,63}(\/[a-z0-9][a-z0-9_-]{0,63}){0,3}$/
