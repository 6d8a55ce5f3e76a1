import { hashOf, type AgentBundle } from '@amodal/sdk'
import { bundleWith, type RunFiles, type RunOpening } from '@amodal/plugin-loop/tokens'
import { childOf } from '../child.ts'
import { definitionsOf } from '../definition.ts'
import type { AgentCode } from './agent-code.ts'
import { skillNames } from './check-grants.ts'
import { bundleWithGrants, effectiveGrants, leastGrants } from './effective-grants.ts'
import { mainGrants, type AgentGrants } from './grants.ts'

/** Skills, stores and knowledge of an agent with grants: those that it names, as of this run. */
export function grantedFiles(code: () => AgentCode | undefined): RunFiles {
  const views = new WeakMap<AgentBundle, Map<string, AgentBundle>>()
  const view = (bundle: AgentBundle, agent: string | undefined, grants: AgentGrants) => {
    const known = views.get(bundle) ?? new Map<string, AgentBundle>()
    views.set(bundle, known)
    const key = JSON.stringify([agent ?? '', grants])
    const found = known.get(key) ?? viewOf(bundle, agent, grants)
    known.set(key, found)
    return found
  }
  return {
    async choose(bundle, opening) {
      const { agent, written } = writtenGrants(bundle, opening)
      if (!written) return { bundle }
      const grants = await effectiveGrants(written, agent, bundle, opening, code)
      return { bundle: view(bundle, agent, grants) }
    },
    fallback(bundle, opening) {
      const { agent, written } = writtenGrants(bundle, opening)
      return written ? view(bundle, agent, leastGrants(written)) : bundle
    },
  }
}

/** The agent of a run, `undefined` for the main one, and what its files grant it. */
function writtenGrants(bundle: AgentBundle, { sessionState }: Pick<RunOpening, 'sessionState'>) {
  const agent = childOf({ delegated: true, sessionState })?.agent
  const written =
    agent === undefined ? mainGrants(bundle) : definitionsOf(bundle).get(agent)?.grants
  return { agent, written }
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
