import { ok, RoleView, type Generation } from '@amodal/sdk'
import { LOAD_KNOWLEDGE } from './load-knowledge.ts'
import { fitsEagerly } from './section.ts'
import type { TenantShelf } from './tenant-shelf.ts'
import type { KnowledgeAccess } from './tokens.ts'

const NONE = ok([])

/**
 * Knowledge as other plugins read it. Documents in the prompt are readable by everybody; those that
 * are listed by title, by roles that may use the tool that reads them.
 */
export function knowledgeAccess(
  generation: () => Generation,
  eagerTokens: number,
  tenants: TenantShelf | undefined,
): KnowledgeAccess {
  const isListed: KnowledgeAccess['isListed'] = (bundle) => !fitsEagerly(bundle, eagerTokens)
  return {
    isListed,
    readableIn: (bundle) =>
      !isListed(bundle) ||
      (generation().scope.find(RoleView)?.allows(LOAD_KNOWLEDGE, bundle) ?? true)
        ? bundle.knowledge
        : [],
    approved: (ctx) => tenants?.list(ctx) ?? Promise.resolve(NONE),
  }
}
