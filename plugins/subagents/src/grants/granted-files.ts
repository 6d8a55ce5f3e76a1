import { hashOf, type AgentBundle } from '@amodal/sdk'
import { bundleWith, type RunFiles } from '@amodal/plugin-loop/tokens'
import { childOf } from '../child.ts'
import { definitionsOf } from '../definition.ts'
import { skillNames } from './check-grants.ts'
import { mainGrants, type AgentGrants } from './grants.ts'

/** Skills, stores and knowledge of an agent with grants: those that it names. */
export function grantedFiles(): RunFiles {
  const views = new WeakMap<AgentBundle, Map<string, AgentBundle>>()
  return {
    choose(bundle, { sessionState }) {
      const child = childOf({ delegated: true, sessionState })
      const grants = child ? definitionsOf(bundle).get(child.agent)?.grants : mainGrants(bundle)
      if (!grants) return Promise.resolve({ bundle })
      const known = views.get(bundle) ?? new Map<string, AgentBundle>()
      views.set(bundle, known)
      const key = child?.agent ?? ''
      const view = known.get(key) ?? viewOf(bundle, grants, child !== undefined)
      known.set(key, view)
      return Promise.resolve({ bundle: view })
    },
  }
}

function viewOf(bundle: AgentBundle, grants: AgentGrants, isChild: boolean): AgentBundle {
  const hasKnowledge = !isChild || grants.tools.includes('load_knowledge')
  return bundleWith(bundle, {
    hash: hashOf({ bundle: bundle.hash, grants, hasKnowledge }),
    skills: bundle.skills.filter((skill) =>
      skillNames(skill).some((name) => grants.skills.includes(name)),
    ),
    stores: bundle.stores.filter(({ name }) => Object.hasOwn(grants.stores, name)),
    ...(!hasKnowledge && { knowledge: [] }),
  })
}
