// What other plugins may see of this one.
import {
  slot,
  type AgentBundle,
  type Failure,
  type KnowledgeDocument,
  type Result,
  type RunContext,
} from '@amodal/sdk'

/** Knowledge for other plugins, with the rights of the caller. */
export interface KnowledgeAccess {
  /** Whether the prompt lists the agent's own documents by title, without their text. */
  isListed(bundle: AgentBundle): boolean
  /**
   * The agent's own documents that a caller may read.
   *
   * @param bundle as the roles of the caller see it
   */
  readableIn(bundle: AgentBundle): readonly KnowledgeDocument[]
  /**
   * Documents that the tenant of a call has approved for itself: the same list while nothing of it
   * has changed.
   */
  approved(
    ctx: Pick<RunContext, 'scope' | 'tenant' | 'signal'>,
  ): Promise<Result<readonly KnowledgeDocument[], Failure>>
}

/** Filled by the plugin `knowledge`. */
export const KnowledgeAccess = slot.kernel<KnowledgeAccess>('knowledge-access')
