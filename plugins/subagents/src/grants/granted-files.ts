import { hashOf, type AgentBundle } from '@amodal/sdk'
import { bundleWith, type RunFiles } from '@amodal/plugin-loop/tokens'
import { childOf } from '../child.ts'
import { definitionsOf } from '../definition.ts'
import type { AgentCode } from './agent-code.ts'
import { skillNames } from './check-grants.ts'
import { bundleWithGrants, effectiveGrants } from './effective-grants.ts'
import { mainGrants, type AgentGrants } from './grants.ts'

/** Skills, stores and knowledge of an agent with grants: those that it names, as of this run. */
export function grantedFiles(code: () => AgentCode | undefined): RunFiles {
  const views = new WeakMap<AgentBundle, Map<string, AgentBundle>>()
  return {
    async choose(bundle, opening) {
      const child = childOf({ delegated: true, sessionState: opening.sessionState })
      const written = child ? definitionsOf(bundle).get(child.agent)?.grants : mainGrants(bundle)
      if (!written) return { bundle }
      const grants = await effectiveGrants(written, child?.agent, bundle, opening, code)
      const known = views.get(bundle) ?? new Map<string, AgentBundle>()
      views.set(bundle, known)
      const key = JSON.stringify([child?.agent ?? '', grants])
      const view = known.get(key) ?? viewOf(bundle, child?.agent, grants)
      known.set(key, view)
      return { bundle: view }
    },
  }
}

function viewOf(bundle: AgentBundle, agent: string | undefined, grants: AgentGrants): AgentBundle {
  const hasKnowledge = agent === undefined || grants.tools.includes('load_knowledge')
  const view = bundleWith(bundle, {
    hash: hashOf({ bundle: bundle.hash, grants, hasKnowledge }),
    skills: bundle.skills.filter((skill) =>
      skillNames(skill).some((name) => grants.skills.includes(name)),
    ),
    stores: bundle.stores.filter(({ name }) => Object.hasOwn(grants.stores, name)),
    ...(!hasKnowledge && { knowledge: [] }),
  })
  return Object.freeze({ ...view, parts: bundleWithGrants(bundle, agent, grants) })
}
