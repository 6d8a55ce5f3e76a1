import { Tools, type Agent, type Generation } from '@amodal/sdk'

/** Which plugin a tool of the agent is of. */
export const toolOwners =
  (generation: () => Generation, agent: Agent) =>
  (tool: string): string | undefined => {
    const bundle = agent.bundle()
    if (!bundle) return undefined
    const current = generation()
    const [key] =
      [...current.registry(Tools)].find(([, source]) =>
        source.tools(bundle).some(({ name }) => name === tool),
      ) ?? []
    return key === undefined ? undefined : (current.ownerOf(Tools, key) ?? key)
  }
